-- The second half of a read: fusion, ranking signals, reranking, the page.
-- Every row comes from memhouse.knowledge under the reader policy, which is the last word whatever was proposed.
-- Signals are bounded (signal_factor), so only candidates whose fused score could still reach the page are read.
-- The deadline may have passed: statement_timeout has fired already, so waiting for a lock is bounded by lock_timeout
-- here, and all that is left is short.
-- Definer because it reads as memhouse_api. Parallel unsafe, and all that call it: a setting cannot be changed inside a
-- parallel operation.
create or replace function memhouse._finish(p_plan memhouse.search_plan, p_parts memhouse.part[])
returns memhouse.retrieval
language plpgsql stable parallel unsafe security definer
set search_path = pg_catalog, pg_temp
as $$
declare
    v_reader memhouse.reader := memhouse._require_reader();
    v_lock_timeout constant text := current_setting('lock_timeout');
    v_part memhouse.part;
    v_signals record;
    v_result memhouse.retrieval;
    -- A reranker looks further than the page.
    v_read constant integer := greatest(p_plan.page_limit, (p_plan.config ->> 'rerank_head')::integer);
begin
    perform set_config('lock_timeout',
        greatest(20, ceil(extract(epoch from p_plan.strategies_until - clock_timestamp()) * 1000))::text, true);
    v_result.posture := v_reader.posture;
    v_result.profile := p_plan.profile_name;
    v_result.profile_version := p_plan.profile_version;
    v_result.analyzer_version := ((p_plan.request).analyzed).analyzer_version;
    v_result.terms_ignored := ((p_plan.request).analyzed).terms_ignored;
    v_result.deadline_ms := p_plan.deadline_ms;
    v_result.reserved_rerank_ms := p_plan.reserved_rerank_ms;
    v_result.disagreement := memhouse.disagreement(p_parts);
    v_result.retrieval_outcomes := '[]';
    foreach v_part in array p_parts loop
        v_result.outcomes := v_result.outcomes || v_part.outcome;
        if (v_part.outcome).strategy = 'lexical' and (v_part.outcome).outcome = 'empty'
           and memhouse._authorization_filtered(((p_plan.request).analyzed).terms) then
            v_result.retrieval_outcomes := '[{"stage": "candidate_filter", "reason_class": "authorization_filtered"}]';
        end if;
    end loop;

    select * into v_signals
    from jsonb_to_record(coalesce(p_plan.config -> 'signals', '{}'))
        as w (recency double precision, authority double precision, provenance double precision, status double precision);

    -- offset 0: each is looked up by its key, and not joined to what the account holds.
    select array_agg(row(
        p.rank, p.knowledge_id, p.statement, p.score, p.fusion_score,
        jsonb_build_object('strategies', p.strategies,
                           'fusion_score', p.fusion_score,
                           'signals', jsonb_build_object('recency', round(p.recency * 1e6) / 1e6, 'authority', p.authority,
                                                         'provenance', p.provenance, 'status', p.status),
                           'score', p.score,
                           -- Of today: in a read of the past it marks what was retracted or superseded since.
                           'lifecycle_state', p.lifecycle_state),
        p.kind, pe.peer_key, s.scope_key, p.sensitivity, p.confidence, p.relevant_from, p.relevant_until, p.recorded_at, p.sources
    )::memhouse.hit order by p.rank)
    into v_result.hits
    from (
        select h.*, row_number() over (order by h.score desc, h.knowledge_id) as rank
        from (
            select k.*, f.fusion_score, f.strategies, src.sources, sig.*,
                f.fusion_score * memhouse.signals_factor(sig.recency, sig.authority, sig.provenance, sig.status,
                    v_signals.recency, v_signals.authority, v_signals.provenance, v_signals.status) as score
            from memhouse.fuse(p_parts, p_plan.config, v_read,
                memhouse.signals_factor(0, 0, 0, 0, v_signals.recency, v_signals.authority, v_signals.provenance, v_signals.status)) as f
            cross join lateral (
                select n.* from memhouse.knowledge as n where n.account_id = v_reader.account_id and n.knowledge_id = f.id offset 0) as k
            cross join lateral (
                select coalesce(array_agg(ks.observation_id order by ks.observation_id), '{}') as sources
                from memhouse.admissible_source as ks
                where ks.account_id = v_reader.account_id and ks.knowledge_id = k.knowledge_id) as src
            cross join lateral memhouse.signals(k.kind, k.lifecycle_state, k.recorded_at, cardinality(src.sources)) as sig
        ) as h
    ) as p
    join memhouse.scope as s on s.account_id = v_reader.account_id and s.scope_id = p.scope_id
    left join lateral (
        select n.peer_key from memhouse.peer as n where n.account_id = v_reader.account_id and n.peer_id = p.subject_peer_id offset 0) as pe on true
    where p.rank <= v_read;
    v_result := memhouse._rerank(p_plan, v_result);

    perform set_config('lock_timeout', v_lock_timeout, true);
    v_result.elapsed_ms := round(extract(epoch from clock_timestamp() - p_plan.started_at) * 1000, 3);
    return v_result;
end
$$;
alter function memhouse._finish(memhouse.search_plan, memhouse.part[]) owner to memhouse_api;
comment on function memhouse._finish(memhouse.search_plan, memhouse.part[]) is 'Fuses the parts of a plan, applies the ranking signals and reads the page as the reader. Private to the read API.';
