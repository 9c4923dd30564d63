-- What looks like a name and is none: reviewed, short, in one place. Closed-class words need no list here, the stop
-- words of the english configuration cover them.
create or replace function memhouse.no_entities()
returns text[]
language sql immutable parallel safe
return array[
    -- sentence artefacts
    'yes', 'yeah', 'yep', 'no', 'nope', 'ok', 'okay', 'oh', 'wow', 'hey', 'hi', 'hello', 'bye', 'thanks', 'thank', 'please',
    'sure', 'well', 'great', 'good', 'nice', 'cool', 'awesome', 'absolutely', 'definitely', 'actually', 'also', 'maybe',
    'however', 'although', 'since', 'because', 'today', 'tomorrow', 'yesterday', 'note', 'update', 'fyi', 'todo', 'asap',
    'let', 'lets', 'congrats', 'congratulations', 'sounds', 'glad', 'got', 'haha', 'lol', 'btw', 'sorry', 'really', 'totally',
    -- days and months
    'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday', 'january', 'february', 'march', 'april',
    'may', 'june', 'july', 'august', 'september', 'october', 'november', 'december', 'am', 'pm',
    'jan', 'feb', 'mar', 'apr', 'jun', 'jul', 'aug', 'sep', 'sept', 'oct', 'nov', 'dec',
    -- timezone abbreviations
    'utc', 'gmt', 'est', 'edt', 'cst', 'cdt', 'mst', 'mdt', 'pst', 'pdt', 'cet', 'cest', 'bst', 'ist', 'jst', 'aest', 'aedt'
];
comment on function memhouse.no_entities() is 'Words that look like names and are none: sentence artefacts, days, months, timezone abbreviations.';
