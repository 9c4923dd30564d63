-- What identifies the ranking configuration of an answer: the profile's name, its version and a digest of its content
-- and of the query prefix, so that evaluations of different configurations cannot be mixed up.
-- Definer because identities are the owner's table.
create or replace function memhouse._profile_version(p_profile memhouse.profile)
returns text
language plpgsql stable security definer
set search_path = pg_catalog, pg_temp
as $$
declare
    v_prefix constant text := (memhouse._account_identity()).query_prefix;
begin
    return format('%s.%s-%s', p_profile.profile_name, p_profile.version,
        left(encode(sha256(convert_to(p_profile.config::text || coalesce(v_prefix, ''), 'UTF8')), 'hex'), 8));
end
$$;
comment on function memhouse._profile_version(memhouse.profile) is 'Name, version and content digest of a profile. Private.';
