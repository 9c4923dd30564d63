-- PL/Python because it loads a model to see that it works.
create or replace function memhouse._py_describe(p_library text, p_folder text)
returns text[]
language plpython3u volatile parallel unsafe
as $$
    import site
    site.addsitedir(p_library)
    from memhouse_thin.models.backend import describe
    return describe(p_folder)
$$;
alter function memhouse._py_describe(text, text) owner to memhouse_owner;
comment on function memhouse._py_describe(text, text) is 'Kind, name and identity of the model in a folder. Private to allow_model.';
