-- All signals of a statement as one factor: the product of signal_factor over the profile's weights. No weights: 1.
create or replace function memhouse.signals_factor(p_signals jsonb, p_weights jsonb)
returns double precision
language sql immutable parallel safe
return memhouse.signal_factor((p_signals ->> 'recency')::double precision, coalesce((p_weights ->> 'recency')::double precision, 0))
    * memhouse.signal_factor((p_signals ->> 'authority')::double precision, coalesce((p_weights ->> 'authority')::double precision, 0))
    * memhouse.signal_factor((p_signals ->> 'provenance')::double precision, coalesce((p_weights ->> 'provenance')::double precision, 0))
    * memhouse.signal_factor((p_signals ->> 'status')::double precision, coalesce((p_weights ->> 'status')::double precision, 0));
comment on function memhouse.signals_factor(jsonb, jsonb) is 'Product of the signal factors of a statement under a profile''s signal weights.';
