-- What happened to a session, in plain words, for people.
create table session_logs (
  id bigint generated always as identity primary key,
  session_id bigint not null references sessions (id) on delete cascade,
  level text not null check (level in ('info', 'error', 'debug', 'warning', 'verbose')),
  content text not null check (content <> ''),
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);

create index session_logs_by_session on session_logs (session_id, id desc);
