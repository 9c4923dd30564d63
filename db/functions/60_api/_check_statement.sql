-- What holds between the arguments of a statement to be stored: its level and its subject, its confidence, its window.
-- True, or MH010 or MH022. Inlined where its arguments are columns or variables.
create or replace function memhouse._check_statement(
    p_subject_peer text, p_level text, p_confidence real, p_relevant_from timestamptz, p_relevant_until timestamptz
)
returns boolean
language sql stable parallel restricted
return case
    when p_subject_peer is not null and p_level in ('scope', 'account') then
        memhouse._fail('MH022', format('The statement is about %L.', left(p_subject_peer, 80)))
    when p_subject_peer is null and p_level = 'peer' then
        memhouse._fail('MH010', 'p_target_level is peer, but the statement is about the scope.')
    when p_confidence is null or p_confidence = 'NaN' or p_confidence not between 0 and 1 then
        memhouse._fail('MH010', format('p_confidence is %s; it must be 0 to 1.', coalesce(p_confidence::text, 'null')))
    when p_relevant_from > p_relevant_until then
        memhouse._fail('MH010', 'p_relevant_from is later than p_relevant_until.')
    else true
end;
comment on function memhouse._check_statement(text, text, real, timestamptz, timestamptz) is
'True if level, subject, confidence and window of a statement go together, else MH010 or MH022. Private.';
