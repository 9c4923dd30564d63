-- PL/Python because the models run in Python. Short: the code is in memhouse_thin.models.backend, found in the
-- operator's library folder. Folders come from memhouse._allowed_model only.
create or replace function memhouse._py_rerank(
    p_library text, p_late_folder text, p_cross_folder text, p_query text, p_texts text[], p_bits bytea[],
    p_before double precision[], p_ms double precision, p_memory_mb integer
)
returns double precision[]
language plpython3u stable parallel unsafe
as $$
    if 'memhouse' not in GD:
        import site
        site.addsitedir(p_library)
        from memhouse_thin.models.backend import Backend
        GD['memhouse'] = Backend()
    return GD['memhouse'].rerank(p_late_folder, p_cross_folder, p_query, p_texts, p_bits, p_before, p_ms, p_memory_mb)
$$;
alter function memhouse._py_rerank(text, text, text, text, text[], bytea[], double precision[], double precision, integer) owner to memhouse_owner;
comment on function memhouse._py_rerank(text, text, text, text, text[], bytea[], double precision[], double precision, integer) is
'Scores by the rerankers in this backend, from the first text, as many as the time allows. Private to _rerank_scores.';
