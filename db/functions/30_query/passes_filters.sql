-- p_filters of a read as a predicate, applied inside every strategy so that a page is never under-filled.
-- Inlinable, like admits; a filter that is null folds away when the strategy is planned with its actual values. No filter
-- at all is the common case, and asked first.
create or replace function memhouse.passes_filters(
    p_id uuid, p_kind memhouse.knowledge_kind, p_subject_peer_id uuid, p_confidence real, p_recorded_at timestamptz,
    p_filters memhouse.filters
)
returns boolean
language sql stable parallel safe
return p_filters is null
    or ((p_filters).ids is null or p_id = any ((p_filters).ids))
    and ((p_filters).kinds is null or p_kind = any ((p_filters).kinds))
    and ((p_filters).subject_peer_id is null or p_subject_peer_id = (p_filters).subject_peer_id)
    and ((p_filters).min_confidence is null or p_confidence >= (p_filters).min_confidence)
    and ((p_filters).recorded_after is null or p_recorded_at > (p_filters).recorded_after)
    and ((p_filters).recorded_before is null or p_recorded_at < (p_filters).recorded_before);
comment on function memhouse.passes_filters(uuid, memhouse.knowledge_kind, uuid, real, timestamptz, memhouse.filters) is
'Whether a row passes the filters of a read; a null filter lets everything pass.';
