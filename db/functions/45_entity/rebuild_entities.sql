-- Rebuilds the mention index of a scope, or of all, from the statements: after the rules changed, after aliases were
-- confirmed, or to be sure. Statements of every state are indexed, so that a read of the past finds them; a read joins
-- what it may see. Definer because the index is the owner's. Needs begin_internal.
create or replace function memhouse.rebuild_entities(p_scope text default null)
returns integer
language plpgsql volatile security definer
set search_path = pg_catalog, pg_temp
set debug_print_plan = off
as $$
declare
    v_reader memhouse.reader := memhouse._require_reader();
    v_scopes uuid[] := v_reader.scopes;
begin
    if v_reader.posture <> 'internal' then
        perform memhouse._fail('MH014', 'Rebuilding an index is server-side work: begin_internal.');
    end if;
    if p_scope is not null then
        v_scopes := array[(memhouse._scope(v_reader.account_id, p_scope)).scope_id];
    end if;
    return memhouse._index_mentions(v_reader.account_id, array(
        select k.knowledge_id from memhouse.knowledge as k
        where k.account_id = v_reader.account_id and k.scope_id = any (v_scopes)), false);
end
$$;
comment on function memhouse.rebuild_entities(text) is
'Rebuilds the mention index of a scope (null: of the account) from its statements and returns the number of mentions. Needs begin_internal. Exact aliases merge; others are only proposed (entity_aliases) until confirm_entity_alias. Errors: MH001, MH007, MH014.';
