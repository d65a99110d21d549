-- Who wrote to a session and was on no list of people at that time: what they wrote is not recorded.
create table unidentified_authors (
  session_id bigint not null references sessions (id) on delete cascade,
  channel text not null check (channel in ('web_ui', 'chat')),
  author_id text not null check (author_id <> ''),
  created_at timestamptz not null default now(),
  primary key (session_id, channel, author_id)
);
