-- Rebuilds the mention index of a scope from its statements, in read → work → write shape: names are extracted first
-- (the slow part, no locks), then the scope's old mentions are replaced by the new ones in this same transaction. A
-- failure leaves the index as it was. A single capitalised word that only ever opens sentences is dropped unless it
-- stands elsewhere in the scope or is a peer's name: it is an artefact of writing, not a name.
-- Confirmed aliases are applied; a lone first word that names exactly one longer name is proposed as an alias of it.
-- Definer because the index is the owner's. Needs begin_internal. Statements of every state are indexed, so that a
-- read of the past finds them; a read joins what it may see.
create or replace function memhouse.rebuild_entities(p_scope text default null)
returns integer
language plpgsql volatile security definer
set search_path = pg_catalog, pg_temp
set debug_print_plan = off
as $$
declare
    v_reader memhouse.reader := memhouse._require_reader();
    v_scopes uuid[] := v_reader.scopes;
    v_account uuid := v_reader.account_id;
    v_found memhouse.entity_mention[];
    v_mentions integer;
begin
    if v_reader.posture <> 'internal' then
        perform memhouse._fail('MH014', 'Rebuilding an index is server-side work: begin_internal.');
    end if;
    if p_scope is not null then
        v_scopes := array[(memhouse._scope(v_account, p_scope)).scope_id];
    end if;

    -- Held in a variable, not in a temporary table: a table of the caller's own making could carry triggers.
    select array_agg(row(v_account, n.name_key, n.knowledge_id, n.confidence)::memhouse.entity_mention) into v_found
    from (
        select coalesce(a.name_key, m.name_key) as name_key, k.knowledge_id, max(m.confidence) as confidence,
            bool_and(bool_and(m.sentence_initial)) over (partition by coalesce(a.name_key, m.name_key)) as only_initial
        from memhouse.knowledge as k
        cross join lateral memhouse.extract_mentions(k.statement) as m
        left join memhouse.entity_alias as a on a.account_id = v_account and a.alias_key = m.name_key and a.confirmed
        where k.account_id = v_account and k.scope_id = any (v_scopes) and k.lifecycle_state <> 'redacted'
        group by 1, 2
    ) as n
    where not n.only_initial
       or exists (select from memhouse.peer as p
                  where p.account_id = v_account
                    and n.name_key in (memhouse.entity_key(p.peer_key), split_part(memhouse.entity_key(p.display_name), ' ', 1)));

    delete from memhouse.entity_mention as m
    using memhouse.knowledge as k
    where m.account_id = v_account and k.account_id = v_account and k.knowledge_id = m.knowledge_id and k.scope_id = any (v_scopes);
    insert into memhouse.entity_mention
    select f.* from unnest(v_found) as f
    -- A statement erased since it was read is no longer there to be indexed.
    where exists (select from memhouse.knowledge as k where k.account_id = v_account and k.knowledge_id = f.knowledge_id);
    get diagnostics v_mentions = row_count;

    insert into memhouse.entity_alias (account_id, alias_key, name_key)
    select v_account, s.alias_key, min(s.name_key)
    from (
        select distinct split_part(t.name_key, ' ', 1) as alias_key, t.name_key
        from unnest(v_found) as t where t.name_key ~ '\s'
    ) as s
    where s.alias_key in (select t.name_key from unnest(v_found) as t)
    group by s.alias_key
    having count(*) = 1
    on conflict do nothing;
    return v_mentions;
end
$$;
comment on function memhouse.rebuild_entities(text) is
'Rebuilds the mention index of a scope (null: of the account) from its statements and returns the number of mentions. Needs begin_internal. Exact aliases merge; others are only proposed (entity_aliases) until confirm_entity_alias. Errors: MH001, MH007, MH014.';
