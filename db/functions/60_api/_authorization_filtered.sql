-- Whether text matches exist that reader visibility alone removed, all of them; told only where the account setting
-- disclose_authorization_filtered is on. No ids, text, scores or counts.
-- "Exist" is judged through admits as server-side work would see it, within the scopes of this reader.
-- Owned by memhouse_gate, the one role that reads beyond the reader. Definer because of that.
create or replace function memhouse._authorization_filtered(p_terms tsquery)
returns boolean
language plpgsql stable parallel restricted security definer
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_custom_plan
as $$
declare
    v_audiences bigint[];
begin
    if not memhouse._account_discloses() then
        return false;
    end if;
    v_audiences := memhouse._account_audiences(memhouse.reader_account());
    return not exists (
            select from memhouse.within_audiences(p_terms, v_audiences) as w (words)
            -- limit 1: by the index, piece by piece, and not as a join of all that the table holds.
            cross join lateral (
                select from memhouse.admissible_knowledge as k
                where memhouse._audience_words(k.audience, k.tsv) @@ w.words and k.tsv @@ p_terms limit 1) as seen)
        and exists (
            select from memhouse.within_audiences(p_terms, v_audiences) as w (words)
            cross join lateral (
                select from memhouse.knowledge as k
                where memhouse._audience_words(k.audience, k.tsv) @@ w.words and k.tsv @@ p_terms and memhouse.admits(
                    k.account_id, k.scope_id, k.subject_peer_id, k.sensitivity, k.target_level,
                    k.lifecycle_state, memhouse.believed_during(k.active_during, k.revalidate_at), k.provisional_during, k.expires_at,
                    (select memhouse.reader_account()), (select memhouse.reader_scopes()), 'restricted', null, 'restricted', true,
                    (select memhouse.reader_known_at())) limit 1) as there);
end
$$;
alter function memhouse._authorization_filtered(tsquery) owner to memhouse_gate;
comment on function memhouse._authorization_filtered(tsquery) is 'Whether reader visibility removed every text match, where the account discloses that. Private to the read API.';
