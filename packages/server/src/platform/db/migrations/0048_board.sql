-- What the board shows of a conversation, so that it reads no entries. Null until the next entry, for older ones.
alter table transcript_threads
  add column last_entry_at timestamptz,
  add column last_said text check (char_length(last_said) <= 200);

update transcript_threads
set last_entry_at = entries.created_at
from transcript_entries as entries
where entries.session_id = transcript_threads.session_id
  and entries.thread = transcript_threads.thread
  and entries.sequence = transcript_threads.entry_count;

-- The last change of each session's state that a person has seen. Not a column of the session: looking at a session must
-- not wait for a transaction that holds its row.
create table session_views (
  session_id bigint primary key references sessions (id) on delete cascade,
  transition_id bigint not null,
  seen_at timestamptz not null default now()
);
