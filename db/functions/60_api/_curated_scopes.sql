-- The scopes whose rows a posture looks after, whether it sees them or not: those it curates; server-side work, all.
-- Asked once a call and before any row is looked at, so that it takes the same time whatever is there.
create or replace function memhouse._curated_scopes(p_reader memhouse.reader)
returns uuid[]
language plpgsql stable
set search_path = pg_catalog, pg_temp
as $$
begin
    if p_reader.posture = 'internal' then
        return p_reader.scopes;
    end if;
    return memhouse._granted_scopes(p_reader.account_id, p_reader.credential_id, 'curator');
end
$$;
comment on function memhouse._curated_scopes(memhouse.reader) is 'Scopes whose rows a posture looks after as curator. Private.';
