-- The planner inside look-ups. A session's settings of the planner hold in the functions that it calls, and could lead a
-- look-up through what is other people's. With these it goes by the index of its audiences whatever they are, and nothing is
-- compiled for it, which takes longer than it. relation_expand is not among them: it starts from few rows by key, and
-- without sequential scans the planner orders its joins badly.
-- Here and not in each function, so that there is one list of what is held. A function made anew loses its settings, and
-- brings all policies back.
do $$
declare
    v_function regproc;
    v_setting text;
begin
    foreach v_function in array array[
        'memhouse.reader_audiences', 'memhouse._audience_rows', 'memhouse._frequent_terms',
        'memhouse._admitted_ids', 'memhouse._nearest_exact', 'memhouse._rare_entities', 'memhouse._rows_read', 'memhouse.strategy_entity_match',
        'memhouse.strategy_lexical', 'memhouse.strategy_salience_recency', 'memhouse.strategy_semantic_lanes',
        'memhouse.strategy_temporal', 'memhouse._authorization_filtered', 'memhouse._lacking', 'memhouse.list_knowledge']::regproc[]
    loop
        foreach v_setting in array array[
            'enable_seqscan = off', 'enable_indexscan = on', 'enable_indexonlyscan = on', 'enable_bitmapscan = on', 'jit = off']
        loop
            execute format('alter function %s set %s', v_function, v_setting);
        end loop;
    end loop;
end
$$;

-- What the planner is to expect of an account: a hundredth of what there is, from the next analyze on. Of ten thousand small
-- ones it would expect a few rows of any, so that going through all that an account holds would seem as cheap as looking a
-- row up by its key, and in the one account that is large it would pass by what is other people's.
do $$
declare
    v_table regclass;
begin
    foreach v_table in array array[
        'memhouse.knowledge', 'memhouse.observation', 'memhouse.knowledge_source', 'memhouse.relation', 'memhouse.embedding',
        'memhouse.entity_mention', 'memhouse.recall_document']::regclass[]
    loop
        execute format('alter table %s alter column account_id set (n_distinct = 100)', v_table);
    end loop;
end
$$;
