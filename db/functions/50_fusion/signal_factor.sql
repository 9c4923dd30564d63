-- A bounded ranking signal as a factor on a fused score: 1 - weight * (1 - value), so between 1 - weight and 1. A
-- signal can break near ties and shade an order; it cannot lift a statement the strategies did not find, and it is no
-- admission: what may not be seen is never here.
create or replace function memhouse.signal_factor(p_value double precision, p_weight double precision)
returns double precision
language sql immutable parallel safe
return 1 - p_weight * (1 - p_value);
comment on function memhouse.signal_factor(double precision, double precision) is 'Factor of a ranking signal: 1 - weight * (1 - value), value and weight 0 to 1.';
