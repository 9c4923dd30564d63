-- What holds between the arguments of a statement to be stored: its level and its subject, its confidence, its window.
-- True, or MH010 or MH022.
create or replace function memhouse._check_statement(
    p_subject_peer text, p_level text, p_confidence real, p_relevant_from timestamptz, p_relevant_until timestamptz
)
returns boolean
language plpgsql stable
set search_path = pg_catalog, pg_temp
as $$
begin
    perform memhouse._one_of(p_level, enum_range(null::memhouse.target_level)::text[], 'p_target_level');
    if p_subject_peer is not null and p_level <> 'peer' then
        perform memhouse._fail('MH022', format('The statement is about %L.', left(p_subject_peer, 80)));
    elsif p_subject_peer is null and p_level = 'peer' then
        perform memhouse._fail('MH010', 'p_target_level is peer, but the statement is about the scope.');
    elsif p_confidence is null or p_confidence = 'NaN' or p_confidence not between 0 and 1 then
        perform memhouse._fail('MH010', format('p_confidence is %s; it must be 0 to 1.', coalesce(p_confidence::text, 'null')));
    elsif p_relevant_from > p_relevant_until then
        perform memhouse._fail('MH010', 'p_relevant_from is later than p_relevant_until.');
    end if;
    return true;
end
$$;
comment on function memhouse._check_statement(text, text, real, timestamptz, timestamptz) is
'True if level, subject, confidence and window of a statement go together, else MH010 or MH022. Private.';
