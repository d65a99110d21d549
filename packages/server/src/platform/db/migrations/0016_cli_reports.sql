-- What each host that runs turns last found out about the agents' programs on it.
create table cli_reports (
  host_id text primary key,
  tools jsonb not null check (jsonb_typeof(tools) = 'object'),
  checked_at timestamptz not null default now()
);
