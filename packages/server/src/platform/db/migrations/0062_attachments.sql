-- Files that prompts name. The session is the first whose prompt named the file; a file without one is deleted after a time.
create table attachments (
  id text primary key check (id ~ '^[0-9a-f]{24}$'),
  session_id bigint references sessions (id) on delete cascade,
  name text not null,
  size_bytes bigint not null check (size_bytes > 0),
  content bytea not null,
  created_at timestamptz not null default now()
);
-- Images and archives are compressed already.
alter table attachments alter column content set storage external;
create index attachments_session on attachments (session_id);
create index attachments_unclaimed on attachments (created_at) where session_id is null;
