-- Both come with PostgreSQL and may be created by whoever may create anything in the database.
create extension if not exists pg_trgm;
create extension if not exists btree_gin;

-- What has changed and is not in an index yet. Written with the change itself, never updated: nobody who writes waits for
-- anybody who indexes. Marks of sessions that are gone do no harm.
create table search_marks (
  id bigint generated always as identity primary key,
  session_id bigint not null,
  about text not null check (about in ('transcript', 'document')),
  created_at timestamptz not null default now()
);

-- How far a session's conversation has been cut into chunks.
create table search_threads (
  session_id bigint primary key references sessions (id) on delete cascade,
  indexed_count int not null check (indexed_count >= 0),
  chunk_count int not null check (chunk_count >= 0)
);

-- Stored lines in lower case, about 8 KB a chunk. The age of the session stands here too, so that one index finds a text
-- among the sessions of a span of time.
create table search_chunks (
  session_id bigint not null references sessions (id) on delete cascade,
  number int not null check (number >= 0),
  session_created_at timestamptz not null,
  text text not null,
  primary key (session_id, number)
);

create index search_chunks_by_text on search_chunks using gin (session_created_at, text gin_trgm_ops);

create function mark_transcript() returns trigger language plpgsql as $$
begin
  insert into search_marks (session_id, about) values (new.session_id, 'transcript');
  return null;
end
$$;

-- Of the threads only the conversation itself is searched.
create trigger transcript_threads_begin after insert on transcript_threads
  for each row when (new.thread = 'main' and new.entry_count > 0) execute function mark_transcript();
create trigger transcript_threads_grow after update of entry_count on transcript_threads
  for each row when (new.thread = 'main' and old.entry_count <> new.entry_count) execute function mark_transcript();

insert into search_marks (session_id, about)
select session_id, 'transcript'
from transcript_threads
where thread = 'main' and entry_count > 0;

-- What the default search looks at, in lower case: title, metadata and custom metadata, with U+0001 between them. Kept in
-- the background, since turns change metadata often.
create table search_documents (
  session_id bigint primary key references sessions (id) on delete cascade,
  text text not null
);

create index search_documents_by_text on search_documents using gin (text gin_trgm_ops);

create function mark_document() returns trigger language plpgsql as $$
begin
  insert into search_marks (session_id, about) values (new.id, 'document');
  return null;
end
$$;

create trigger sessions_document_begins after insert on sessions
  for each row execute function mark_document();
create trigger sessions_document_changes after update of title, metadata, custom_metadata on sessions
  for each row
  when (
    old.title is distinct from new.title
    or old.metadata is distinct from new.metadata
    or old.custom_metadata is distinct from new.custom_metadata
  )
  execute function mark_document();

insert into search_marks (session_id, about)
select id, 'document'
from sessions;

-- How many sessions there are of each kind that lists can ask for, as changes to be added up: a list says how many there
-- are in all without counting them, and nobody waits for anybody to change a number. Summed up in the background.
create table session_counts (
  status text not null,
  agent_runtime text not null,
  genesis text not null,
  scheduling_class text,
  visibility text not null,
  change bigint not null
);

create function count_new_sessions() returns trigger language plpgsql as $$
begin
  insert into session_counts (status, agent_runtime, genesis, scheduling_class, visibility, change)
  select status, agent_runtime, genesis, scheduling_class, visibility, count(*)
  from new_rows
  where summary_of_session_id is null
  group by status, agent_runtime, genesis, scheduling_class, visibility;
  return null;
end
$$;

create function count_gone_sessions() returns trigger language plpgsql as $$
begin
  insert into session_counts (status, agent_runtime, genesis, scheduling_class, visibility, change)
  select status, agent_runtime, genesis, scheduling_class, visibility, -count(*)
  from old_rows
  where summary_of_session_id is null
  group by status, agent_runtime, genesis, scheduling_class, visibility;
  return null;
end
$$;

create function count_changed_session() returns trigger language plpgsql as $$
begin
  insert into session_counts (status, agent_runtime, genesis, scheduling_class, visibility, change)
  select status, agent_runtime, genesis, scheduling_class, visibility, change
  from (
    values
      (old.summary_of_session_id, old.status, old.agent_runtime, old.genesis, old.scheduling_class, old.visibility, -1),
      (new.summary_of_session_id, new.status, new.agent_runtime, new.genesis, new.scheduling_class, new.visibility, 1)
  ) as sides (summary_of_session_id, status, agent_runtime, genesis, scheduling_class, visibility, change)
  where summary_of_session_id is null;
  return null;
end
$$;

create function forget_counts() returns trigger language plpgsql as $$
begin
  delete from session_counts;
  return null;
end
$$;

create trigger sessions_counted after insert on sessions
  referencing new table as new_rows for each statement execute function count_new_sessions();
create trigger sessions_uncounted after delete on sessions
  referencing old table as old_rows for each statement execute function count_gone_sessions();
create trigger sessions_recounted
  after update of status, agent_runtime, genesis, scheduling_class, visibility, summary_of_session_id on sessions
  for each row
  when (
    (old.status, old.agent_runtime, old.genesis, old.scheduling_class, old.visibility, old.summary_of_session_id)
    is distinct from
    (new.status, new.agent_runtime, new.genesis, new.scheduling_class, new.visibility, new.summary_of_session_id)
  )
  execute function count_changed_session();
create trigger sessions_all_gone after truncate on sessions
  for each statement execute function forget_counts();

insert into session_counts (status, agent_runtime, genesis, scheduling_class, visibility, change)
select status, agent_runtime, genesis, scheduling_class, visibility, count(*)
from sessions
where summary_of_session_id is null
group by status, agent_runtime, genesis, scheduling_class, visibility;

-- A snooze ends by itself, so those are counted as they are.
create index sessions_snoozed on sessions (snoozed_until) where visibility = 'snoozed';
