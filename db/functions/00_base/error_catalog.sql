-- Every error of ours, in one place: the client maps these names to classes, the reference prints them.
-- Output in code order. Raised by _fail only, so message and hint are constants and the specifics stand in DETAIL:
-- no message can differ between a row that is hidden and a row that does not exist.
create or replace function memhouse.error_catalog()
returns table (code text, name text, message text, hint text)
language sql immutable parallel safe rows 25
begin atomic
    select *
    from (values
        ('MH001', 'PostureMissing', 'no reader posture in this transaction',
         'Call memhouse.begin_read, begin_write or begin_internal first, in the same transaction.'),
        ('MH002', 'PostureSealInvalid', 'the reader posture was not made by this transaction',
         'The memhouse.* settings are written by begin_read, begin_write and begin_internal only.'),
        ('MH003', 'CredentialUnknown', 'the credential is not known',
         'Check the token, or ask an administrator to run create_credential for this token or database role.'),
        ('MH004', 'CredentialRevoked', 'the credential has been revoked',
         'Ask an administrator for a new credential.'),
        ('MH005', 'CredentialExpired', 'the credential has expired',
         'Ask an administrator for a new credential.'),
        ('MH006', 'PeerUnknown', 'the peer is not known in this account',
         'Check the peer key; peers are made with create_peer.'),
        ('MH007', 'ScopeUnknown', 'the scope is not known to this credential',
         'Check the scope key and the grants of the credential.'),
        ('MH008', 'ProfileUnknown', 'the retrieval profile is not known',
         'memhouse.profiles() lists those that this reader may name.'),
        ('MH009', 'FilterInvalid', 'the filters cannot be used',
         'Filters are kind, subject_peer, source, min_confidence, recorded_after and recorded_before.'),
        ('MH010', 'ArgumentInvalid', 'an argument is out of its range',
         'The comment on the function states what each argument takes.'),
        ('MH011', 'QueryTooLong', 'the query is too long',
         'Shorten the query; the limits are max_query_chars and max_query_terms in memhouse.server_setting.'),
        ('MH012', 'EmbeddingInvalid', 'the vector cannot be used',
         'A vector has exactly the dimensions of its embedding identity, finite values, and is not all zero.'),
        ('MH013', 'EmbeddingIdentityUnknown', 'the embedding identity is not the one this account searches',
         'Embed with the identity that memhouse.embedding_identities() marks as default, or register a new one and re-embed.'),
        ('MH014', 'WriteNotPermitted', 'this posture may not write there',
         'Begin with begin_write, under a credential with role member or above on the scope.'),
        ('MH015', 'NotFound', 'nothing with that id is visible to this reader',
         'Ids of rows that are hidden and of rows that do not exist are answered alike.'),
        ('MH016', 'TransitionInvalid', 'the lifecycle has no such transition',
         'memhouse.lifecycle_edge lists the transitions there are.'),
        ('MH017', 'AlreadyExists', 'something of that name already exists',
         'Choose another key, or use the one that exists.'),
        ('MH018', 'AccountUnknown', 'the account is not known',
         'Accounts are made with create_account.'),
        ('MH019', 'SettingInvalid', 'the setting is unknown or its value cannot be used',
         'The comment on set_account_setting and the table memhouse.server_setting list what there is.'),
        ('MH020', 'ProfileInvalid', 'the profile cannot be used',
         'The comment on set_profile states what a profile holds.'),
        ('MH021', 'FeatureDisabled', 'this feature is switched off for the account',
         'An administrator switches it on with set_account_setting.'),
        ('MH022', 'ConsentRequired', 'a statement about a peer goes above peer level only with that peer''s consent',
         'Remember it at peer level, then propose its promotion; the subject consents.'),
        ('MH023', 'AuthorityChanged', 'what this credential may do has changed since the posture was begun',
         'Begin again in a new transaction.'),
        ('MH024', 'HierarchyInvalid', 'the scope tree cannot take this change',
         'A scope cannot stand below itself, and its parent belongs to the same account.'),
        ('MH025', 'DependencyMissing', 'something this call needs is not installed here',
         'memhouse doctor names the extensions and models that were found.')
    ) as e (code, name, message, hint);
end;
comment on function memhouse.error_catalog() is
'Every SQLSTATE of memhouse: code, name (the client''s exception class), message and hint. The specifics of a failure are in its DETAIL.';
