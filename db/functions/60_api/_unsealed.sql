-- The text behind a signature, if the server made it, of this kind and for this posture. Error: MH002.
create or replace function memhouse._unsealed(p_kind text, p_sealed text)
returns text
language plpgsql stable parallel restricted
set search_path = pg_catalog, pg_temp
as $$
declare
    v_signature text := split_part(p_sealed, '.', 1);
    v_body text := split_part(p_sealed, '.', 2);
begin
    perform memhouse._require_reader();
    if p_sealed is null or p_sealed <> v_signature || '.' || v_body
       or memhouse._sign(p_kind || ' ' || v_body, v_signature) is distinct from v_signature then
        perform memhouse._fail('MH002', 'The plan or part was not made by this server for this posture.');
    end if;
    return convert_from(decode(v_body, 'base64'), 'UTF8');
end
$$;
comment on function memhouse._unsealed(text, text) is 'The text behind a signature, or MH002. Private to the parallel read.';
