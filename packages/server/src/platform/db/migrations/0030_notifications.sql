-- What people are told about sessions.
create table notifications (
  id bigint generated always as identity primary key,
  session_id bigint not null references sessions (id) on delete cascade,
  notification_type text not null check (
    notification_type in ('session_complete', 'needs_input', 'session_failed', 'custom_message', 'elicitation_pending')
  ),
  title text not null,
  body text not null,
  -- What it was made for: a second attempt for the same marker makes no second row. Null where only the content counts.
  marker text,
  -- The event that it was made for, if one was. A later event of the session makes it stale.
  position bigint,
  read boolean not null default false,
  stale boolean not null default false,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);

create unique index notifications_marker_key on notifications (session_id, notification_type, marker)
  where marker is not null;
create index notifications_by_session on notifications (session_id, created_at);
create index notifications_listed on notifications (id) where not stale;
create index notifications_pending on notifications (id) where not stale and not read;
create index notifications_by_age on notifications (updated_at) where stale;

-- Sessions about which no pushes are sent.
create table muted_sessions (
  session_id bigint primary key references sessions (id) on delete cascade,
  created_at timestamptz not null default now()
);
