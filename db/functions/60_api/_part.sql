-- A sealed part, if it belongs to this plan: a part carries the digest of the plan it was run for. Error: MH002.
create or replace function memhouse._part(p_plan text, p_sealed text)
returns memhouse.part
language plpgsql stable parallel restricted
set search_path = pg_catalog, pg_temp
as $$
declare
    v_text text := memhouse._unsealed('part', p_sealed);
begin
    if split_part(v_text, ' ', 1) <> encode(sha256(convert_to(p_plan, 'UTF8')), 'hex') then
        perform memhouse._fail('MH002', 'The part belongs to another plan.');
    end if;
    return substr(v_text, 66)::memhouse.part;
end
$$;
comment on function memhouse._part(text, text) is 'A sealed part of a plan, or MH002. Private to the parallel read.';
