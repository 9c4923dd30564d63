-- The profile of a read: the nearest on the path of the requested scope, else the account's, else the server's.
-- A null name is the account setting default_profile, or balanced. Errors: MH008, MH021.
-- Definer because profiles and account settings are the owner's tables.
create or replace function memhouse._profile(p_name text, p_reader memhouse.reader default memhouse._require_reader())
returns memhouse.profile
language plpgsql stable security definer
set search_path = pg_catalog, pg_temp
as $$
declare
    v_name text := p_name;
    v_profile memhouse.profile;
begin
    if v_name is null then
        v_name := coalesce((select a.settings ->> 'default_profile' from memhouse.account as a where a.account_id = p_reader.account_id), 'balanced');
    end if;
    select f.* into v_profile
    from memhouse.profile as f
    left join memhouse.scope as own on own.account_id = f.account_id and own.scope_id = f.scope_id
    where f.profile_name = v_name
      and (f.account_id = '00000000-0000-0000-0000-000000000000'
           or f.account_id = p_reader.account_id
              and (own.scope_id is null
                   or own.scope_id = any ((select s.path from memhouse.scope as s
                                           where s.account_id = p_reader.account_id and s.scope_id = p_reader.scope_id)::uuid[])))
    order by f.account_id = p_reader.account_id desc, cardinality(own.path) desc nulls last
    limit 1;
    if not found then
        perform memhouse._fail('MH008', format('There is no profile %L.', left(v_name, 80)));
    end if;
    -- Nested: an expression with a query in it is run as a query, whatever it could have stopped at.
    if v_profile.config ? 'feature' then
        if not coalesce((
            select (a.settings ->> (v_profile.config ->> 'feature'))::boolean from memhouse.account as a
            where a.account_id = p_reader.account_id), false) then
            perform memhouse._fail('MH021', format('%s needs the account setting %s.', v_name, v_profile.config ->> 'feature'));
        end if;
    end if;
    return v_profile;
end
$$;
comment on function memhouse._profile(text, memhouse.reader) is 'The profile of a read, nearest on the scope path first; MH008 when there is none, MH021 when its feature is off. Private.';
