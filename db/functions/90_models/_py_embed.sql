-- PL/Python because the models run in Python. Short: the code is in memhouse_thin.models.backend, found in the
-- operator's library folder. Folders come from memhouse._allowed_model only.
create or replace function memhouse._py_embed(
    p_library text, p_folder text, p_account text, p_text text, p_query boolean, p_memory_mb integer, p_cache_entries integer
)
returns real[]
language plpython3u stable parallel unsafe
as $$
    if 'memhouse' not in GD:
        import site
        site.addsitedir(p_library)
        from memhouse_thin.models.backend import Backend
        GD['memhouse'] = Backend()
    return GD['memhouse'].embed(p_folder, p_account, p_text, p_query, p_memory_mb, p_cache_entries)
$$;
alter function memhouse._py_embed(text, text, text, text, boolean, integer, integer) owner to memhouse_owner;
comment on function memhouse._py_embed(text, text, text, text, boolean, integer, integer) is 'A vector by a model in this backend. Private to embed.';
