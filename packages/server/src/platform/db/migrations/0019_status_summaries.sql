-- Where a session stands, in a few sentences that its own kind of agent wrote. The row is also the claim of whoever has them
-- written: one at a time, and a claim that nobody follows up runs out.
create table session_status_summaries (
  session_id bigint primary key references sessions (id) on delete cascade,
  state text not null check (state in ('idle', 'pending', 'ready', 'failed')),
  summary text check (summary <> ''),
  error text check (char_length(error) <= 500),
  requested_at timestamptz not null default now(),
  generated_at timestamptz,
  -- Entries of the conversation when the text was made.
  entry_count int check (entry_count >= 0),
  attempts int not null default 0 check (attempts >= 0),
  run_marker text,
  lease_expires_at timestamptz,
  check ((summary is null) = (entry_count is null)),
  check ((run_marker is null) = (lease_expires_at is null)),
  check (run_marker is null or state = 'pending')
);

create index session_status_summaries_due on session_status_summaries (requested_at) where state = 'pending';

-- Sessions that still go by their placeholder: few at any time, whatever the number of sessions.
create index sessions_without_title on sessions (created_at) where metadata ? 'auto_generated_title';
