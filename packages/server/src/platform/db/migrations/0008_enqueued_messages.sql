-- What is said to a session while it works. Positions 1..n number the pending ones; a delivered row keeps the position it
-- was delivered from.
create table enqueued_messages (
  id bigint generated always as identity primary key,
  session_id bigint not null references sessions (id) on delete cascade,
  content text not null check (content <> '' and char_length(content) <= 500000),
  goal text check (char_length(goal) <= 50000),
  position int not null check (position >= 1),
  status text not null default 'pending' check (status in ('pending', 'processing', 'sent', 'undelivered')),
  origin text not null default 'caller' check (
    origin in ('caller', 'automated_pr_merged', 'automated_merge_conflict', 'automated_recovery_nudge')
  ),
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),

  -- Checked at commit: moving one message shifts others, and on the way two may share a position.
  constraint enqueued_messages_position exclude using btree (session_id with =, position with =)
    where (status = 'pending') deferrable initially deferred
);

create index enqueued_messages_by_session on enqueued_messages (session_id, position, id);

alter table turns
  -- The queued message it carries, if it carries one.
  add column message_id bigint references enqueued_messages (id) on delete set null,
  -- Somebody wants it ended. It stays live until its host has stopped the agent, so that no two ever run at once.
  add column withdrawn_by text check (withdrawn_by in ('pause', 'interrupt', 'restart', 'archive')),
  -- The host whose lease ran out. Until that host has looked, processes of the turn may be left on it.
  add column seized_from text;

create index turns_seized on turns (seized_from) where seized_from is not null;
