-- The pull requests that sessions have opened, as the forge showed them last.
create table session_pull_requests (
  session_id bigint not null references sessions (id) on delete cascade,
  repo text not null,
  number int not null check (number > 0),
  url text not null,
  -- Null until the forge was asked.
  state text check (state in ('open', 'closed', 'merged')),
  has_conflict boolean not null default false,
  -- Whether the caller named it, or its address was seen in the transcript.
  found_in text not null check (found_in in ('transcript', 'custom_metadata')),
  -- The queued message about a conflict, while it has not been delivered.
  conflict_message_id bigint references enqueued_messages (id) on delete set null,
  check_at timestamptz not null default now(),
  changed_at timestamptz not null default now(),
  created_at timestamptz not null default now(),
  primary key (session_id, repo, number)
);

-- Merged and closed ones are not asked about again.
create index session_pull_requests_due on session_pull_requests (check_at) where state is null or state = 'open';
create index session_pull_requests_by_item on session_pull_requests (repo, number);

-- How far a session has been searched for addresses of pull requests.
create table pull_request_scans (
  session_id bigint primary key references sessions (id) on delete cascade,
  entry_count int not null default 0,
  metadata_digest text
);

create index sessions_naming_pull_requests on sessions (id) where custom_metadata::text like '%/pull/%';
