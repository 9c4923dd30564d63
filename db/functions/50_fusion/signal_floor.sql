-- The smallest factor the signals of a profile can make: all values 0.
create or replace function memhouse.signal_floor(p_weights jsonb)
returns double precision
language sql immutable parallel safe
return memhouse.signals_factor('{"recency": 0, "authority": 0, "provenance": 0, "status": 0}', p_weights);
comment on function memhouse.signal_floor(jsonb) is 'Smallest factor that a profile''s signals can make.';
