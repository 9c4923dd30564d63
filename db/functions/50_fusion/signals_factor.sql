-- All signals of a statement as one factor: the product of signal_factor over the profile's weights. A weight that is null is 0.
-- With every value 0 it is the smallest that these weights can make.
create or replace function memhouse.signals_factor(
    p_recency double precision, p_authority double precision, p_provenance double precision, p_status double precision,
    w_recency double precision, w_authority double precision, w_provenance double precision, w_status double precision
)
returns double precision
language sql immutable parallel safe
return memhouse.signal_factor(p_recency, coalesce(w_recency, 0)) * memhouse.signal_factor(p_authority, coalesce(w_authority, 0))
    * memhouse.signal_factor(p_provenance, coalesce(w_provenance, 0)) * memhouse.signal_factor(p_status, coalesce(w_status, 0));
comment on function memhouse.signals_factor(
    double precision, double precision, double precision, double precision, double precision, double precision, double precision, double precision) is
'Product of the factors of the four signals (p_*, 0 to 1) under their weights (w_*, 0 to 1; null is 0).';
