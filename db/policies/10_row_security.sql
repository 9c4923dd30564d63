-- Row-level security: who reaches which row of which table, to be read as a specification.
--
-- Every table has row security enabled and forced, so that not even its owner is exempt by accident. Without a policy
-- a role reaches nothing. Policies only call predicates; the decision itself stands in memhouse.admits. Where they name the
-- account beside it, that is for indexes.
--
--   memhouse_owner     every row: administration functions, which check their own arguments
--   memhouse_gate      every row of what its views show, read-only: its views apply memhouse.admits
--   memhouse_api, memhouse_analyst   what memhouse.admits admits for the posture begun; none without
--   memhouse_analyst also passes memhouse.admitted_now: its own SQL could change the posture in the middle of a scan
--   memhouse_reader, memhouse_writer, memhouse_internal   no row: they read and write through functions of memhouse_api
--
-- A policy "to" a role holds for whoever inherits the role's privileges. So a login that writes and types SQL is granted
-- both memhouse_writer and memhouse_analyst; memhouse_analyst is a member of memhouse_reader, and not the other way round.

do $$
declare
    v_table regclass;
begin
    for v_table in
        select c.oid from pg_class as c where c.relnamespace = 'memhouse'::regnamespace and c.relkind in ('r', 'p')
    loop
        execute format('alter table %s enable row level security', v_table);
        execute format('alter table %s force row level security', v_table);
        execute format('drop policy if exists owner_all on %s', v_table);
        execute format('create policy owner_all on %s to memhouse_owner using (true) with check (true)', v_table);
    end loop;
end
$$;

-- knowledge
drop policy if exists gate_reads on memhouse.knowledge;
create policy gate_reads on memhouse.knowledge for select to memhouse_gate using (true);
drop policy if exists admitted on memhouse.knowledge;
create policy admitted on memhouse.knowledge for select to memhouse_api
using (account_id = (select memhouse.reader_account()) and memhouse.admits(
    account_id, scope_id, subject_peer_id, sensitivity, target_level,
    lifecycle_state, memhouse.believed_during(active_during, revalidate_at), provisional_during, expires_at,
    (select memhouse.reader_account()), (select memhouse.reader_scopes()), (select memhouse.reader_clearance()),
    (select memhouse.reader_peer()), (select memhouse.reader_open_sensitivity()),
    (select memhouse.reader_sees_shared()), (select memhouse.reader_known_at())
));
drop policy if exists admitted_now on memhouse.knowledge;
create policy admitted_now on memhouse.knowledge for select to memhouse_analyst
using (
    account_id = (select memhouse.reader_account())
    and memhouse.admits(
        account_id, scope_id, subject_peer_id, sensitivity, target_level,
        lifecycle_state, memhouse.believed_during(active_during, revalidate_at), provisional_during, expires_at,
        (select memhouse.reader_account()), (select memhouse.reader_scopes()), (select memhouse.reader_clearance()),
        (select memhouse.reader_peer()), (select memhouse.reader_open_sensitivity()),
        (select memhouse.reader_sees_shared()), (select memhouse.reader_known_at())
    )
    -- Says nothing that admits does not: it lets an index lead past what is other people's, so that where the planner takes
    -- that index whole, neither time nor counters of blocks and rows tell how much of that there is.
    and audience = any ((select memhouse.reader_audiences())::bigint[])
    and knowledge_id = memhouse.admitted_now(
        knowledge_id, account_id, scope_id, subject_peer_id, sensitivity, target_level,
        lifecycle_state, memhouse.believed_during(active_during, revalidate_at), provisional_during, expires_at)
);
drop policy if exists member_writes on memhouse.knowledge;
create policy member_writes on memhouse.knowledge for insert to memhouse_api
with check (account_id = (select memhouse.reader_account()) and scope_id = any ((select memhouse.reader_write_scopes())::uuid[]));

-- observation: known from the moment it was recorded; what a peer said is about that peer, what no peer said is the scope's
drop policy if exists gate_reads on memhouse.observation;
create policy gate_reads on memhouse.observation for select to memhouse_gate using (true);
drop policy if exists admitted on memhouse.observation;
create policy admitted on memhouse.observation for select to memhouse_api
using (account_id = (select memhouse.reader_account()) and memhouse.admits(
    account_id, scope_id, peer_id, sensitivity, 'peer',
    'active', tstzmultirange(tstzrange(recorded_at, null)), '{}', null,
    (select memhouse.reader_account()), (select memhouse.reader_scopes()), (select memhouse.reader_clearance()),
    (select memhouse.reader_peer()), (select memhouse.reader_open_sensitivity()),
    (select memhouse.reader_sees_shared()), (select memhouse.reader_known_at())
));
drop policy if exists admitted_now on memhouse.observation;
create policy admitted_now on memhouse.observation for select to memhouse_analyst
using (
    account_id = (select memhouse.reader_account())
    and memhouse.admits(
        account_id, scope_id, peer_id, sensitivity, 'peer',
        'active', tstzmultirange(tstzrange(recorded_at, null)), '{}', null,
        (select memhouse.reader_account()), (select memhouse.reader_scopes()), (select memhouse.reader_clearance()),
        (select memhouse.reader_peer()), (select memhouse.reader_open_sensitivity()),
        (select memhouse.reader_sees_shared()), (select memhouse.reader_known_at())
    )
    and observation_id = memhouse.admitted_now(
        observation_id, account_id, scope_id, peer_id, sensitivity, 'peer',
        'active', tstzmultirange(tstzrange(recorded_at, null)), '{}', null)
);
drop policy if exists member_writes on memhouse.observation;
create policy member_writes on memhouse.observation for insert to memhouse_api
with check (account_id = (select memhouse.reader_account()) and scope_id = any ((select memhouse.reader_write_scopes())::uuid[]));

-- knowledge_source and relation: visible when both ends are; the look-ups run under the policies above
drop policy if exists gate_reads on memhouse.knowledge_source;
create policy gate_reads on memhouse.knowledge_source for select to memhouse_gate using (true);
drop policy if exists both_ends_admitted on memhouse.knowledge_source;
create policy both_ends_admitted on memhouse.knowledge_source for select to memhouse_api, memhouse_analyst
using (
    account_id = (select memhouse.reader_account())
    and exists (select from memhouse.knowledge as k
                where k.account_id = knowledge_source.account_id and k.knowledge_id = knowledge_source.knowledge_id)
    and exists (select from memhouse.observation as o
                where o.account_id = knowledge_source.account_id and o.observation_id = knowledge_source.observation_id)
);
drop policy if exists gate_reads on memhouse.relation;
create policy gate_reads on memhouse.relation for select to memhouse_gate using (true);
drop policy if exists both_ends_admitted on memhouse.relation;
create policy both_ends_admitted on memhouse.relation for select to memhouse_api, memhouse_analyst
using (
    account_id = (select memhouse.reader_account())
    and recorded_at <= (select memhouse.reader_known_at())
    and exists (select from memhouse.knowledge as k
                where k.account_id = relation.account_id and k.knowledge_id = relation.from_id)
    and exists (select from memhouse.knowledge as k
                where k.account_id = relation.account_id and k.knowledge_id = relation.to_id)
);

-- embedding: read by the gate's view alone; written for statements of this account in a write posture
drop policy if exists gate_reads on memhouse.embedding;
create policy gate_reads on memhouse.embedding for select to memhouse_gate using (true);
drop policy if exists own_account on memhouse.embedding;
create policy own_account on memhouse.embedding to memhouse_api
using (account_id = (select memhouse.reader_account()))
with check (account_id = (select memhouse.reader_account()) and (select memhouse.reader_write_scopes()) is not null);

-- token vectors: read by the API beside statements the reader sees; written like vectors
drop policy if exists own_account on memhouse.token_vectors;
create policy own_account on memhouse.token_vectors to memhouse_api
using (account_id = (select memhouse.reader_account()))
with check (account_id = (select memhouse.reader_account()) and (select memhouse.reader_write_scopes()) is not null);

-- projections: read by the gate's views alone
drop policy if exists gate_reads on memhouse.entity_mention;
create policy gate_reads on memhouse.entity_mention for select to memhouse_gate using (true);
drop policy if exists gate_reads on memhouse.recall_document;
create policy gate_reads on memhouse.recall_document for select to memhouse_gate using (true);

-- names that a page shows: scopes within authority; peers of the account, to the API only
drop policy if exists authorised on memhouse.scope;
create policy authorised on memhouse.scope for select to memhouse_api, memhouse_analyst
using (account_id = (select memhouse.reader_account()) and scope_id = any ((select memhouse.reader_scopes())::uuid[]));
drop policy if exists own_account on memhouse.peer;
create policy own_account on memhouse.peer for select to memhouse_api
using (account_id = (select memhouse.reader_account()));

-- links between scopes: read by the gate's view alone
drop policy if exists gate_reads on memhouse.scope_link;
create policy gate_reads on memhouse.scope_link for select to memhouse_gate using (true);

-- the lifecycle and the list of strategies hold nothing of any account; yet to an analyst no table shows a row unbegun
drop policy if exists everyone on memhouse.lifecycle_edge;
create policy everyone on memhouse.lifecycle_edge for select to memhouse_api using (true);
drop policy if exists begun on memhouse.lifecycle_edge;
create policy begun on memhouse.lifecycle_edge for select to memhouse_analyst using ((select memhouse.reader_account()) is not null);
drop policy if exists everyone on memhouse.strategy;
create policy everyone on memhouse.strategy for select to memhouse_api, memhouse_admin using (true);
drop policy if exists admin_reads on memhouse.server_setting;
create policy admin_reads on memhouse.server_setting for select to memhouse_admin using (true);
