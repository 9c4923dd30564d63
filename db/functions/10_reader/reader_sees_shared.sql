-- Whether statements about a scope, and statements promoted above peer level, are open at any sensitivity the
-- clearance allows: yes when reading for a peer, no when reading for nobody.
create or replace function memhouse.reader_sees_shared()
returns boolean
language sql stable parallel restricted
return (memhouse._posture()).posture = 'peer';
comment on function memhouse.reader_sees_shared() is 'True when statements about the scope and promoted statements are open to this reader (posture peer).';
