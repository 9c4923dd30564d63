-- The whole privilege matrix, applied last and from nothing: whatever a file before granted is taken back first, so
-- this page is all there is. tests/schema compares the result with a golden file.

do $$
declare
    v_object record;
    v_roles text := 'public, memhouse_gate, memhouse_strategy, memhouse_api, memhouse_reader, memhouse_writer, memhouse_analyst, memhouse_internal, memhouse_admin, memhouse_jobs';
begin
    for v_object in
        select format('%s %s', case c.relkind when 'S' then 'sequence' else 'table' end, c.oid::regclass) as name
        from pg_class as c
        where c.relnamespace = 'memhouse'::regnamespace and c.relkind in ('r', 'p', 'v', 'S')
          and pg_get_userbyid(c.relowner) = 'memhouse_owner'
        union all
        select format('routine %s', p.oid::regprocedure)
        from pg_proc as p
        where p.pronamespace = 'memhouse'::regnamespace and pg_get_userbyid(p.proowner) = 'memhouse_owner'
    loop
        execute format('revoke all on %s from %s', v_object.name, v_roles);
    end loop;
end
$$;
-- Objects of the other owners: each takes back from all but itself.
do $$
declare
    v_object record;
begin
    for v_object in
        select format('table %s', c.oid::regclass) as name, pg_get_userbyid(c.relowner) as owner
        from pg_class as c
        where c.relnamespace = 'memhouse'::regnamespace and c.relkind = 'v' and pg_get_userbyid(c.relowner) <> 'memhouse_owner'
        union all
        select format('routine %s', p.oid::regprocedure), pg_get_userbyid(p.proowner)
        from pg_proc as p
        where p.pronamespace = 'memhouse'::regnamespace and pg_get_userbyid(p.proowner) <> 'memhouse_owner'
    loop
        execute format('revoke all on %s from public, memhouse_reader, memhouse_writer, memhouse_analyst, memhouse_internal, memhouse_admin, memhouse_jobs, %s',
            v_object.name,
            array_to_string(array(select r from unnest(array['memhouse_gate', 'memhouse_strategy', 'memhouse_api']) as r
                                  where r <> v_object.owner), ', '));
    end loop;
end
$$;

-- Tables -------------------------------------------------------------------------------------------------------------
-- The gate's views and their source.
grant select on memhouse.knowledge, memhouse.embedding, memhouse.entity_mention, memhouse.recall_document, memhouse.relation, memhouse.scope_link,
    memhouse.knowledge_source, memhouse.observation to memhouse_gate;
grant select on memhouse.admissible_knowledge, memhouse.admissible_embedding, memhouse.admissible_mention, memhouse.admissible_recall_document, memhouse.admissible_relation,
    memhouse.admissible_scope_link to memhouse_strategy;
grant select on memhouse.admissible_source to memhouse_api;
-- What the API reads and writes, under its policies.
grant select on memhouse.knowledge, memhouse.observation, memhouse.knowledge_source, memhouse.relation,
    memhouse.scope, memhouse.peer, memhouse.strategy, memhouse.embedding to memhouse_api;
grant insert on memhouse.knowledge, memhouse.observation, memhouse.embedding to memhouse_api;
grant update (vec, embedded_at) on memhouse.embedding to memhouse_api;
grant select, insert, update (bits) on memhouse.token_vectors to memhouse_api;
-- What an analyst may select directly, under its policies. Not metadata-free: what is admitted is shown whole.
grant select on memhouse.knowledge, memhouse.observation, memhouse.knowledge_source, memhouse.relation, memhouse.scope, memhouse.lifecycle_edge
    to memhouse_analyst;
-- memhouse_reader, memhouse_writer and memhouse_internal: nothing. EXPLAIN and the counters of a transaction tell whoever
-- may select from a table how many rows were looked at and not shown.

-- What administrators change through functions they may also look up.
grant select on memhouse.server_setting, memhouse.strategy to memhouse_admin;

-- Functions ----------------------------------------------------------------------------------------------------------
-- The predicate and the accessors that policies and views call run as whoever queries; of those that log in, an analyst.
grant execute on function memhouse.admits(
    uuid, uuid, uuid, memhouse.sensitivity, memhouse.target_level, memhouse.lifecycle_state, tstzmultirange, tstzmultirange,
    timestamptz, uuid, uuid[], memhouse.sensitivity, uuid, memhouse.sensitivity, boolean, timestamptz)
    to memhouse_gate, memhouse_strategy, memhouse_api, memhouse_analyst;
grant execute on function memhouse._posture(), memhouse._reader(), memhouse.reader_account(), memhouse.reader_scopes(), memhouse.reader_clearance(),
    memhouse.reader_peer(), memhouse.reader_open_sensitivity(), memhouse.reader_sees_shared(), memhouse.reader_known_at(),
    memhouse._open_sensitivity(text), memhouse.believed_during(tstzmultirange, timestamptz)
    to memhouse_gate, memhouse_strategy, memhouse_api, memhouse_analyst;
grant execute on function memhouse.reader_write_scopes() to memhouse_api;
grant execute on function memhouse.reader_audiences() to memhouse_analyst;
-- Whoever inserts a statement computes its audience.
grant execute on function memhouse._audience(uuid, uuid, memhouse.sensitivity, boolean),
    memhouse._audience_prefix(bigint), memhouse._audience_words(bigint, tsvector), memhouse._audience_of(uuid, uuid, memhouse.sensitivity, memhouse.target_level, memhouse.lifecycle_state, tstzmultirange, tstzmultirange)
    to memhouse_api;
grant execute on function memhouse.admitted_now(
    uuid, uuid, uuid, uuid, memhouse.sensitivity, memhouse.target_level, memhouse.lifecycle_state, tstzmultirange, tstzmultirange,
    timestamptz)
    to memhouse_analyst;
-- What strategies use.
grant execute on function memhouse._setting_int(text),
    memhouse.passes_filters(uuid, memhouse.knowledge_kind, uuid, real, timestamptz, memhouse.filters),
    memhouse.reader_audiences(), memhouse._audience_prefix(bigint), memhouse._audience_words(bigint, tsvector),
    memhouse.within_audiences(tsquery, bigint[]), memhouse._rare_entities(text[], memhouse.request),
    memhouse._nearest_exact(memhouse.request, integer), memhouse._words_of(uuid, uuid[]),
    memhouse.term_query(text), memhouse.entity_keys(text), memhouse.entity_key(text), memhouse._interleave(memhouse.listed_candidate[], integer) to memhouse_strategy;
-- Of the gate's functions one looks beyond the reader to say that something is there, where the account discloses that.
grant execute on function memhouse._account_discloses(), memhouse._account_audiences(uuid), memhouse._setting_int(text), memhouse._audience_prefix(bigint),
    memhouse._audience_words(bigint, tsvector), memhouse.within_audiences(tsquery, bigint[]),
    memhouse._admitted_ids(uuid, bigint[], memhouse.filters, integer) to memhouse_gate;
-- What the API uses.
grant execute on function memhouse.strategy_lexical(memhouse.request, integer),
    memhouse.strategy_semantic(memhouse.request, integer), memhouse.strategy_temporal(memhouse.request, integer),
    memhouse.strategy_salience_recency(memhouse.request, integer), memhouse.strategy_entity_match(memhouse.request, integer),
    memhouse.strategy_relation_expand(memhouse.request, integer), memhouse.strategy_semantic_lanes(memhouse.request, integer),
    memhouse.eligible_rows(memhouse.filters, integer), memhouse._admitted_ids(uuid, bigint[], memhouse.filters, integer), memhouse._audience_rows(bigint[], integer), memhouse._authorization_filtered(tsquery),
    memhouse.signals(memhouse.knowledge_kind, memhouse.lifecycle_state, timestamptz, integer),
    memhouse.signal_factor(double precision, double precision),
    memhouse.signals_factor(double precision, double precision, double precision, double precision, double precision, double precision, double precision, double precision),
    memhouse._admits_observation(memhouse.reader, memhouse.observation),
    memhouse._times(jsonb, integer), memhouse._strategies_of(jsonb), memhouse._report(memhouse.retrieval), memhouse._checked_profile(jsonb),
    memhouse._sign(text, text), memhouse._sealed(text, text), memhouse._unsealed(text, text), memhouse._part(text, text),
    memhouse._require_reader(), memhouse._fail(text, text), memhouse._one_of(text, text[], text), memhouse._setting_int(text),
    memhouse.error_catalog(), memhouse.uuid_v7(), memhouse._audit(uuid, text, uuid, jsonb),
    memhouse.reader_audiences(), memhouse.question_boilerplate(), memhouse.analyze_query(text), memhouse.term_query(text),
    memhouse.checked_vector(@extschema:vector@.vector, integer), memhouse._search_identity(text, memhouse.embedding_identity),
    memhouse._stored_identity(text), memhouse._account_identity(uuid), memhouse._embedded_query(text, timestamptz),
    memhouse._rerank(memhouse.search_plan, memhouse.retrieval), memhouse._allowed_model(text, integer), memhouse._allowed_reranker(text),
    memhouse._reranked(memhouse.hit[], double precision[], double precision, text),
    memhouse._profile(text, memhouse.reader), memhouse._profile_version(memhouse.profile, text),
    memhouse.fuse(memhouse.part[], jsonb, integer, double precision),
    memhouse.disagreement(memhouse.part[]),
    memhouse._applicable(text, memhouse.request), memhouse._judge_once(memhouse.search_plan), memhouse._parallel_of(memhouse.search_plan),
    memhouse._run_plan(memhouse.search_plan, text[], memhouse.part[], boolean), memhouse._deadline_fired(timestamptz),
    memhouse._write_scope(text), memhouse._peer(text), memhouse._checked_text(text, text, integer),
    memhouse._checked_metadata(jsonb), memhouse._observations_named(text), memhouse._storable(uuid), memhouse._visible_ids(uuid[]), memhouse._known_source_key(text, text), memhouse._attach_sources(uuid, uuid[]),
    memhouse._claim_source_keys(text[], text[], uuid[], uuid[], text[], text[], text[], timestamptz[]),
    memhouse._known_source_keys(text, text[]), memhouse._attach_all_sources(uuid[], uuid[]), memhouse._audit_all(uuid, text, uuid[], jsonb[]),
    memhouse._rows_read(text, memhouse.request), memhouse._import_ids(text[], text[]), memhouse._check_statement(text, text, real, timestamptz, timestamptz),
    memhouse.passes_filters(uuid, memhouse.knowledge_kind, uuid, real, timestamptz, memhouse.filters)
    to memhouse_api;

-- What applications call.
grant execute on function memhouse.error_catalog(), memhouse.begin_read(text, text, text, timestamptz), memhouse.current_reader(),
    memhouse.begin_search(text, text, text, timestamptz, text, integer, integer), memhouse.profiles(), memhouse.embedding_identities(), memhouse.analyze_query(text),
    memhouse.search(text, @extschema:vector@.vector, text, integer, timestamptz, jsonb, integer, text),
    memhouse.search_report(text, @extschema:vector@.vector, text, integer, timestamptz, jsonb, integer, text),
    memhouse.plan_search(text, @extschema:vector@.vector, text, integer, timestamptz, jsonb, integer, text),
    memhouse.explain_search(text, @extschema:vector@.vector, text, integer, timestamptz, jsonb, integer, text),
    memhouse.run_search_part(text, text), memhouse.finish_search(text, text[]), memhouse.rerank_vectors(uuid[], text),
    memhouse.list_knowledge(jsonb, uuid, integer), memhouse.promotions()
    to memhouse_reader;
grant execute on function memhouse.begin_write(text),
    memhouse.observe(text, text, text, text, timestamptz, text, text, jsonb, text),
    memhouse.remember(text, text, text, text, text, text, real, timestamptz, timestamptz, timestamptz, uuid[], @extschema:vector@.vector, jsonb, text, text, text),
    memhouse.import_batch(jsonb), memhouse.relate(uuid, uuid, text, real),
    memhouse.store_embedding(uuid, @extschema:vector@.vector, text), memhouse.unembedded(text, integer, uuid),
    memhouse.store_token_vectors(uuid, text, bytea), memhouse.without_token_vectors(text, integer, uuid),
    memhouse.transition(uuid, text, text), memhouse.lifecycle_history(uuid), memhouse.set_expiry(uuid, timestamptz),
    memhouse.set_revalidation(uuid, timestamptz), memhouse.erase(uuid, boolean),
    memhouse.propose_promotion(uuid, text), memhouse.consent(uuid), memhouse.decline(uuid, text)
    to memhouse_writer, memhouse_internal;
grant execute on function memhouse.begin_internal(text),
    memhouse.search_report_with(jsonb, text, @extschema:vector@.vector, text, integer, timestamptz, jsonb, integer, text),
    memhouse.rebuild_entities(text), memhouse.refresh_entities(integer), memhouse.entity_aliases(), memhouse.confirm_entity_alias(text, text, boolean),
    memhouse.refresh_recall_documents(integer)
    to memhouse_internal;
grant execute on function memhouse.create_account(text, jsonb), memhouse.create_scope(text, text, text),
    memhouse.move_scope(text, text, text), memhouse.create_peer(text, text, text),
    memhouse.create_credential(text, text, text, text, text, name, timestamptz), memhouse.set_clearance(text, text, text),
    memhouse.revoke_credential(text, text), memhouse.grant_scope(text, text, text, text, text),
    memhouse.revoke_scope(text, text, text, text), memhouse.set_account_setting(text, text, jsonb),
    memhouse.set_server_setting(text, integer), memhouse.set_strategy_enabled(text, boolean),
    memhouse.embedding_status(text), memhouse.switch_embedding_identity(text, text, boolean), memhouse.drop_embedding_identity(text),
    memhouse.register_embedding_identity(text, text, text, integer, text), memhouse.set_profile(text, text, text, jsonb),
    memhouse.profile_in_force(text, text, text),
    memhouse.rotate_seal_key(), memhouse.error_catalog(),
    memhouse.link_scopes(text, text, text), memhouse.unlink_scopes(text, text, text),
    memhouse.explain_admission(text, text, uuid, text), memhouse.effective_access(text, text, text),
    memhouse.renew_credential(text, text), memhouse.erase_peer(text, text),
    memhouse.export_account(text), memhouse.restore_rows(text, jsonb),
    memhouse.jobs(), memhouse.set_job(text, interval, boolean),
    memhouse.install_jobs(text, name), memhouse.uninstall_jobs(), memhouse._audit_jobs(text, name), memhouse._fail(text, text)
    to memhouse_admin;
-- Jobs act on every account and show nothing of any: this role can do no more than start them.
grant execute on function memhouse.jobs(), memhouse.run_due_jobs(), memhouse.run_job(text),
    memhouse.sweep_expired(integer, integer), memhouse.sweep_revalidation(integer, integer)
    to memhouse_jobs;

-- Models inside the server, where PL/Python is. What runs Python is for the API alone, and set_model_host for nobody:
-- only a superuser says where code is loaded from.
do $$
begin
    if exists (select from pg_proc as p where p.pronamespace = 'memhouse'::regnamespace and p.proname = 'allow_model') then
        grant execute on function memhouse._model_library(),
            memhouse._py_embed(text, text, text, text, boolean, integer, integer),
            memhouse._py_rerank(text, text, text, text, text[], bytea[], double precision[], double precision, integer),
            memhouse._rerank_scores(text, uuid[], double precision[], text, timestamptz), memhouse.embed(text, text)
            to memhouse_api;
        grant execute on function memhouse.embed(text, text), memhouse.rerank(text, uuid[], text, integer) to memhouse_reader;
        grant execute on function memhouse.model_status() to memhouse_reader, memhouse_admin;
        grant execute on function memhouse.allow_model(text), memhouse.forbid_model(text) to memhouse_admin;
    end if;
end
$$;
