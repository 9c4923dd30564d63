-- The reviewed boilerplate of the analyzer: lexemes (stemmed) with which a question is put and which say nothing
-- about its subject. The stop words of the english configuration go anyway. Never here: negation, names, dates (so not
-- "may"), and words that are a subject elsewhere (type, sort, like, time).
create or replace function memhouse.question_boilerplate()
returns text[]
language sql immutable parallel safe
return array[
    'would', 'could', 'might', 'kind', 'mani', 'much', 'often', 'ever',
    'tell', 'say', 'said', 'mention', 'describ', 'explain', 'pleas'
];
comment on function memhouse.question_boilerplate() is
'Lexemes that lexical-question-v2 drops from an English question: interrogative boilerplate, stemmed, beyond the stop words of the english configuration.';
