-- The credential behind a token, or, without one, behind the database role the session runs as.
-- The role is the GUC "role" when set (SET ROLE, as PostgREST does), else session_user: current_user is this
-- definer's owner. Unknown and wrong tokens do the same work: one hash, one index probe.
-- Errors: MH003, MH004, MH005. Definer because credentials are the owner's.
create or replace function memhouse._authenticate(p_token text)
returns memhouse.credential
language plpgsql stable security definer
set search_path = pg_catalog, pg_temp
as $$
declare
    v_credential memhouse.credential;
begin
    if p_token is null then
        select c.* into v_credential from memhouse.credential as c
        where c.db_role = coalesce(nullif(current_setting('role'), 'none'), session_user)
        order by c.revoked_at desc nulls first limit 1;
    else
        select c.* into v_credential from memhouse.credential as c
        where c.token_hash = sha256(convert_to(p_token, 'UTF8'));
    end if;
    if v_credential.credential_id is null then
        perform memhouse._fail('MH003', case when p_token is null
            then 'No credential names this database role.' else 'No credential has this token.' end);
    elsif v_credential.revoked_at is not null then
        perform memhouse._fail('MH004', 'It was revoked by an administrator.');
    elsif v_credential.expires_at <= statement_timestamp() then
        perform memhouse._fail('MH005', 'Its expiry has passed.');
    end if;
    return v_credential;
end
$$;
comment on function memhouse._authenticate(text) is 'The credential of a token, or of the session''s database role when null. Private.';
