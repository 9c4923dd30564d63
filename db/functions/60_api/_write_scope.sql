-- The scope a write goes to, for this posture. Errors: MH001; MH007 when the scope is unknown or not granted, alike;
-- MH014 when it may be read but not written, or when the posture is a read.
-- Definer because scopes are looked up before a policy could show them.
create or replace function memhouse._write_scope(p_scope text)
returns uuid
language plpgsql stable security definer
set search_path = pg_catalog, pg_temp
as $$
declare
    v_reader memhouse.reader := memhouse._require_reader();
    v_scope_id uuid;
begin
    if v_reader.write_scopes is null then
        perform memhouse._fail('MH014', 'This transaction began with begin_read.');
    end if;
    select s.scope_id into v_scope_id from memhouse.scope as s
    where s.account_id = v_reader.account_id and s.scope_key = p_scope and s.scope_id = any (v_reader.scopes);
    if not found then
        perform memhouse._fail('MH007', format('No scope %s is granted to this credential.', coalesce(quote_literal(left(p_scope, 80)), 'null')));
    elsif v_scope_id <> all (v_reader.write_scopes) then
        perform memhouse._fail('MH014', format('The credential has no role of member or above on %L.', left(p_scope, 80)));
    end if;
    return v_scope_id;
end
$$;
comment on function memhouse._write_scope(text) is 'Id of a scope this posture may write, or MH007 or MH014. Private.';
