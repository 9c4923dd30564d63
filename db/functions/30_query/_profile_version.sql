-- What identifies the ranking configuration of an answer: the profile's name, its version and a digest of its content
-- and of the query prefix, so that evaluations of different configurations cannot be mixed up.
create or replace function memhouse._profile_version(p_profile memhouse.profile, p_query_prefix text)
returns text
language sql stable parallel safe
return format('%s.%s-%s', p_profile.profile_name, p_profile.version,
    left(encode(sha256(convert_to(p_profile.config::text || coalesce(p_query_prefix, ''), 'UTF8')), 'hex'), 8));
comment on function memhouse._profile_version(memhouse.profile, text) is 'Name, version and content digest of a profile. Private.';
