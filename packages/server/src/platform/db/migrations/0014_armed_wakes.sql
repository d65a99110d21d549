-- One-time wakes that are armed for a session: at a time, or when something happens to another session. Whoever arms one
-- writes it here, so that whoever speaks to the session can be told of it.
create table armed_wakes (
  id bigint generated always as identity primary key,
  session_id bigint not null references sessions (id) on delete cascade,
  -- Null for a watch, which has no time of its own.
  at timestamptz,
  created_at timestamptz not null default now()
);

create index armed_wakes_by_session on armed_wakes (session_id, at);
