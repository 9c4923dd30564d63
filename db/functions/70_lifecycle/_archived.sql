-- What an archive of an account holds: its tables in the order in which they can be restored, in which order their rows
-- are written, and the columns left out. Left out are tokens and database roles (authority is given anew where an
-- archive is restored) and what only postures in progress, vectors or projections use. A table that is not here is a projection,
-- made again from these.
create or replace function memhouse._archived()
returns table (place integer, table_name text, row_order text, left_out text[])
language sql immutable parallel safe rows 20
begin atomic
    select *
    from (values
        (1, 'account', 'account_id', '{embedding_identity_id}'::text[]),
        (2, 'scope', 'cardinality(path), scope_id', '{}'),
        (3, 'peer', 'peer_id', '{}'),
        (4, 'credential', 'credential_id', '{token_hash,db_role,authority_version}'),
        (5, 'scope_grant', 'credential_id, scope_id, effect', '{}'),
        (6, 'scope_link', 'from_scope_id, to_scope_id', '{}'),
        (7, 'profile', 'scope_id, profile_name', '{}'),
        (8, 'observation', 'observation_id', '{}'),
        (9, 'knowledge', 'knowledge_id', '{audience,tsv,changed_at}'),
        (10, 'knowledge_source', 'knowledge_id, observation_id', '{}'),
        (11, 'relation', 'from_id, to_id, type', '{}'),
        (12, 'lifecycle_change', 'change_id', '{}'),
        (13, 'promotion', 'promotion_id', '{}'),
        (14, 'entity_alias', 'alias_key, name_key', '{}'),
        (15, 'tombstone', 'id', '{}'),
        (16, 'audit_log', 'audit_id', '{}')
    ) as a (place, table_name, row_order, left_out);
end;
comment on function memhouse._archived() is 'The tables of an archive, in order, with the columns left out. Private.';
