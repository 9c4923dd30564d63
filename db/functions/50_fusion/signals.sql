-- The value of each ranking signal for a statement, 0 to 1:
--   recency     exp(-age / 365 days), age from recorded_at to the read
--   authority   of the kind: policy 1, decision .85, lesson .7, the rest .55
--   provenance  no source .5, one .8, two or more 1
--   status      active 1, anything else (provisional; past states under time travel) .5
-- Inlinable where it is called, like admits.
create or replace function memhouse.signals(
    p_kind memhouse.knowledge_kind, p_state memhouse.lifecycle_state, p_recorded_at timestamptz, p_sources integer
)
returns table (recency double precision, authority double precision, provenance double precision, status double precision)
language sql stable parallel safe rows 1
begin atomic
    select exp(-greatest(date_part('epoch', statement_timestamp() - p_recorded_at), 0) / (365 * 86400)),
        case p_kind when 'policy' then 1 when 'decision' then 0.85 when 'lesson' then 0.7 else 0.55 end::double precision,
        case p_sources when 0 then 0.5 when 1 then 0.8 else 1 end::double precision,
        case p_state when 'active' then 1 else 0.5 end::double precision;
end;
comment on function memhouse.signals(memhouse.knowledge_kind, memhouse.lifecycle_state, timestamptz, integer) is
'Ranking signals of a statement, each 0 to 1: recency exp(-age / 365 days), authority of the kind (policy, decision, lesson, the rest), provenance by number of sources, status.';
