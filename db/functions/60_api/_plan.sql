-- The first half of a read: check the arguments, find the profile, analyse the query, parse the filters, and set the
-- times. Errors: MH001, MH008 to MH013, MH020, MH021.
-- p_override: configuration over the profile's, for evaluation by server-side work; null for every caller.
-- Definer because it reads as memhouse_api. The deadline counts from the arrival of the statement.
create or replace function memhouse._plan(
    p_query text, p_embedding @extschema:vector@.vector, p_profile text, p_limit integer, p_as_of timestamptz,
    p_filters jsonb, p_deadline_ms integer, p_identity text, p_override jsonb
)
returns memhouse.search_plan
language plpgsql stable parallel restricted security definer
set search_path = pg_catalog, pg_temp
as $$
declare
    v_reader constant memhouse.reader := memhouse._require_reader();
    v_identity constant memhouse.embedding_identity := memhouse._account_identity(v_reader.account_id);
    v_plan memhouse.search_plan;
    v_request memhouse.request;
    v_profile memhouse.profile;
    v_embedding @extschema:vector@.vector := p_embedding;
    -- What begin_search said, if it was that which began.
    v_begun_ms constant integer := substring(current_setting('memhouse.deadline_ms', true) from '^[0-9]{1,9}$');
    v_exact_rows integer := memhouse._setting_int('exact_scan_rows');
begin
    if p_limit is null or p_limit not between 1 and 100 then
        perform memhouse._fail('MH010', format('p_limit is %s; it must be 1 to 100.', coalesce(p_limit::text, 'null')));
    end if;
    v_profile := memhouse._profile(p_profile, v_reader);
    if p_override is not null then
        v_profile.config := memhouse._checked_profile(v_profile.config || p_override);
    end if;
    v_plan.profile_name := v_profile.profile_name;
    v_plan.profile_version := memhouse._profile_version(v_profile, v_identity.query_prefix);
    v_plan.config := v_profile.config;
    v_plan.page_limit := p_limit;
    select t.deadline_ms, t.reserved_rerank_ms into v_plan.deadline_ms, v_plan.reserved_rerank_ms
    from memhouse._times(v_profile.config, coalesce(p_deadline_ms, v_begun_ms)) as t;
    v_plan.started_at := statement_timestamp();
    v_plan.strategies_until := v_plan.started_at + (v_plan.deadline_ms - v_plan.reserved_rerank_ms) * interval '1 ms';

    v_request.account_id := v_reader.account_id;
    v_request.query := coalesce(p_query, '');
    v_request.analyzed := memhouse.analyze_query(v_request.query);
    v_request.audiences := memhouse.reader_audiences();
    v_request.filters := memhouse.parse_filters(p_filters);
    v_request.as_of := p_as_of;
    if v_embedding is null and v_profile.config -> 'strategies' ?| array['semantic', 'semantic_lanes'] then
        v_embedding := memhouse._embedded_query(v_request.query, v_plan.strategies_until);
    end if;
    if v_embedding is not null then
        select i.identity_id, i.dimensions, memhouse.checked_vector(v_embedding, i.dimensions)
        into v_request.identity_id, v_request.dimensions, v_request.embedding
        from memhouse._search_identity(p_identity, v_identity) as i;
    end if;
    -- How semantic will go about it. While the whole table is no larger than what it compares exactly, for all that the
    -- last analyze knows, there is nothing to count.
    if (select c.reltuples from pg_class as c where c.oid = 'memhouse.knowledge'::regclass) not between 1 and v_exact_rows then
        v_request.eligible := case when v_request.filters is null then memhouse._audience_rows(v_request.audiences, v_exact_rows + 1)
            else memhouse.eligible_rows(v_request.filters, v_exact_rows + 1) end;
    end if;
    -- No count is kept, only that they are many: a count would tell of what is due to expire and not swept.
    v_request.eligible := case when v_request.eligible > v_exact_rows then v_request.eligible end;
    v_plan.request := v_request;
    return v_plan;
end
$$;
alter function memhouse._plan(text, @extschema:vector@.vector, text, integer, timestamptz, jsonb, integer, text, jsonb) owner to memhouse_api;
comment on function memhouse._plan(text, @extschema:vector@.vector, text, integer, timestamptz, jsonb, integer, text, jsonb) is
'Decides one read: profile, analysed query, filters, times. Private to the read API.';
