-- Sessions that are to be analysed by sessions of the service, and how far that is.
create table outcome_batches (
  id bigint generated always as identity primary key,
  concurrency int not null,
  created_at timestamptz not null
);

create table outcome_items (
  id bigint generated always as identity primary key,
  batch_id bigint not null references outcome_batches (id) on delete cascade,
  -- No foreign key: a batch still tells of a session that was deleted.
  session_id bigint not null,
  state text not null default 'queued' check (state in ('queued', 'running', 'saved', 'failed')),
  reason text,
  analyzer_session_id bigint references sessions (id) on delete set null,
  -- How often the analyzer was asked to mend its answer.
  corrections int not null default 0,
  started_at timestamptz,
  ended_at timestamptz
);

create index outcome_items_of_batch on outcome_items (batch_id, id);
create index outcome_items_open on outcome_items (state, batch_id, id) where state in ('queued', 'running');
create index outcome_items_of_analyzer on outcome_items (analyzer_session_id) where analyzer_session_id is not null;
-- A session is analysed once at a time.
create unique index outcome_items_once on outcome_items (session_id) where state in ('queued', 'running');
