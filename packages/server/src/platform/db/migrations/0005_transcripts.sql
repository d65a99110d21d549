-- A thread is the main conversation or one subagent's. It remembers how far its file on disk has been read.
create table transcript_threads (
  session_id bigint not null references sessions (id) on delete cascade,
  thread text not null check (thread <> ''),
  read_bytes bigint not null default 0 check (read_bytes >= 0),
  entry_count int not null default 0 check (entry_count >= 0),
  primary key (session_id, thread)
);

create table transcript_entries (
  session_id bigint not null references sessions (id) on delete cascade,
  thread text not null,
  sequence int not null check (sequence >= 1),
  line text not null,
  created_at timestamptz not null default now(),
  primary key (session_id, thread, sequence)
);

create trigger transcript_entries_append_only before update or delete on transcript_entries
  for each row execute function refuse_rewriting();
