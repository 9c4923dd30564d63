-- What begin_read and begin_write share: authenticate, resolve peer and scope, seal. Errors: MH003 to MH007.
-- Definer because it authenticates and signs.
create or replace function memhouse._begin(
    p_credential text, p_peer_key text, p_scope text, p_known_at timestamptz, p_writes boolean
)
returns void
language plpgsql volatile security definer
set search_path = pg_catalog, pg_temp
as $$
begin
    perform memhouse._set_reader(memhouse._reader_of(
        memhouse._authenticate(p_credential), p_peer_key, p_scope, p_known_at, p_writes));
end
$$;
comment on function memhouse._begin(text, text, text, timestamptz, boolean) is 'Authenticates, resolves and seals a posture. Private to begin_read and begin_write.';
