-- The way of a read, in one place: analyse → strategies → fusion → the page. search and search_report show it.
--
-- Deadline: counted from the arrival of the statement. The caller sets statement_timeout to the same number of
-- milliseconds; when it fires inside a strategy and the deadline has indeed passed, that strategy is dropped and the
-- rest is skipped, and what was found is still returned. A cancel before the deadline is a person's, and goes through.
-- Without statement_timeout the deadline is checked between strategies only.
--
-- Definer because it may read as memhouse_api: the final rows come from memhouse.knowledge under the reader policy,
-- which is the last word whatever a strategy proposed. Stable: one snapshot for the whole answer.
create or replace function memhouse._retrieve(
    p_query text, p_embedding @extschema:vector@.vector, p_profile text, p_limit integer, p_as_of timestamptz,
    p_filters jsonb, p_deadline_ms integer, p_identity text
)
returns memhouse.retrieval
language plpgsql stable parallel restricted security definer
set search_path = pg_catalog, pg_temp
as $$
declare
    v_started constant timestamptz := statement_timestamp();
    v_reader memhouse.reader := memhouse._require_reader();
    v_result memhouse.retrieval;
    v_request memhouse.request;
    v_profile memhouse.profile;
    v_weights jsonb;
    v_deadline timestamptz;
    v_strategy text;
    v_strategy_started timestamptz;
    v_outcome memhouse.outcome;
    v_list memhouse.listed_candidate[];
    v_candidates memhouse.listed_candidate[] := '{}';
    v_ids uuid[];
    v_scores double precision[];
    v_parts jsonb[];
begin
    if p_limit is null or p_limit not between 1 and 100 then
        perform memhouse._fail('MH010', format('p_limit is %s; it must be 1 to 100.', coalesce(p_limit::text, 'null')));
    elsif p_deadline_ms not between 1 and memhouse._setting_int('max_deadline_ms') then
        perform memhouse._fail('MH010', format('p_deadline_ms is %s; it must be 1 to %s.',
            p_deadline_ms, memhouse._setting_int('max_deadline_ms')));
    end if;
    v_profile := memhouse._profile(p_profile);
    v_weights := v_profile.config -> 'strategies';
    v_result.posture := v_reader.posture;
    v_result.profile := v_profile.profile_name;
    v_result.profile_version := memhouse._profile_version(v_profile);
    v_result.deadline_ms := coalesce(p_deadline_ms, (v_profile.config ->> 'deadline_ms')::integer);
    v_result.reserved_rerank_ms := 0;
    v_result.retrieval_outcomes := '[]';
    v_deadline := v_started + v_result.deadline_ms * interval '1 ms';

    v_request.query := coalesce(p_query, '');
    v_request.analyzed := memhouse.analyze_query(v_request.query);
    v_request.filters := memhouse.parse_filters(p_filters);
    v_request.as_of := p_as_of;
    if p_embedding is not null then
        select i.identity_id, i.dimensions, memhouse.checked_vector(p_embedding, i.dimensions)
        into v_request.identity_id, v_request.dimensions, v_request.embedding
        from memhouse._search_identity(p_identity) as i;
    end if;
    v_result.analyzer_version := (v_request.analyzed).analyzer_version;
    v_result.terms_ignored := (v_request.analyzed).terms_ignored;

    for v_strategy in
        select w.key from jsonb_each(v_weights) as w order by w.value::double precision desc, w.key
    loop
        v_strategy_started := clock_timestamp();
        v_list := null;
        v_outcome := memhouse._applicable(v_strategy, v_request);
        if v_outcome.outcome is null and v_strategy_started >= v_deadline then
            v_outcome.outcome := 'dropped';
            v_outcome.reason_class := 'deadline';
        elsif v_outcome.outcome is null then
            begin
                v_list := memhouse._propose(v_strategy, v_request, greatest(p_limit, (v_profile.config ->> 'depth')::integer));
                v_outcome.outcome := case when v_list is null then 'empty' else 'contributed' end;
            exception
                when query_canceled then
                    -- A cancel that comes before the deadline is somebody's wish, not ours to swallow.
                    if clock_timestamp() < v_deadline then
                        raise;
                    end if;
                    v_outcome.outcome := 'dropped';
                    v_outcome.reason_class := 'timeout';
                when transaction_rollback or insufficient_resources or sqlstate 'MH002' or sqlstate 'MH023' then
                    raise;
                when others then
                    raise warning 'strategy % failed: %', v_strategy, sqlstate;
                    v_outcome.outcome := 'dropped';
                    v_outcome.reason_class := 'failed';
            end;
        end if;
        v_outcome.strategy := v_strategy;
        v_outcome.candidates := coalesce(cardinality(v_list), 0);
        v_outcome.ms := round(extract(epoch from clock_timestamp() - v_strategy_started) * 1000, 3);
        v_result.outcomes := v_result.outcomes || v_outcome;
        v_candidates := v_candidates || coalesce(v_list, '{}');
    end loop;

    v_result.disagreement := memhouse.disagreement(v_candidates, v_result.outcomes);
    select array_agg(f.id order by f.place), array_agg(f.fusion_score order by f.place), array_agg(f.parts order by f.place)
    into v_ids, v_scores, v_parts
    from (
        select u.id, u.fusion_score, memhouse._breakdown(u.parts) as parts, row_number() over (order by u.fusion_score desc, u.id) as place
        from memhouse.fuse(v_candidates, v_weights, (v_profile.config ->> 'rrf_k')::integer, p_limit) as u
    ) as f;

    -- The final read, as the reader: id = any(array), not a join, or the planner expects 1,000 rows and hashes them all.
    select array_agg(row(
        h.rank, h.knowledge_id, h.statement, h.score, h.score,
        jsonb_build_object('strategies', h.parts, 'fusion_score', h.score, 'score', h.score),
        h.kind, h.peer_key, h.scope_key, h.sensitivity, h.confidence, h.relevant_from, h.relevant_until, h.recorded_at,
        array(select s.observation_id from memhouse.knowledge_source as s
              where s.account_id = v_reader.account_id and s.knowledge_id = h.knowledge_id order by s.observation_id)
    )::memhouse.hit order by h.rank)
    into v_result.hits
    from (
        select k.*, v_scores[o.place] as score, v_parts[o.place] as parts, p.peer_key, s.scope_key,
            row_number() over (order by o.place) as rank
        from memhouse.knowledge as k
        cross join lateral (select array_position(v_ids, k.knowledge_id) as place) as o
        join memhouse.scope as s on s.account_id = k.account_id and s.scope_id = k.scope_id
        left join memhouse.peer as p on p.account_id = k.account_id and p.peer_id = k.subject_peer_id
        where k.account_id = v_reader.account_id and k.knowledge_id = any (v_ids)
    ) as h;
    v_result.elapsed_ms := round(extract(epoch from clock_timestamp() - v_started) * 1000, 3);
    return v_result;
end
$$;
alter function memhouse._retrieve(text, @extschema:vector@.vector, text, integer, timestamptz, jsonb, integer, text) owner to memhouse_api;
comment on function memhouse._retrieve(text, @extschema:vector@.vector, text, integer, timestamptz, jsonb, integer, text) is
'One read from query to page. Private to search and search_report.';
