-- A senior (uncle) spoke to a junior that it did not spawn. A claim of the caller, and never a second parent.
create table uncle_links (
  junior_session_id bigint not null references sessions (id) on delete cascade,
  senior_session_id bigint not null references sessions (id) on delete cascade,
  source text not null check (
    source in ('api_v1:sessions.follow_up', 'api_v1:enqueued_messages.create', 'api_v1:enqueued_messages.interrupt')
  ),
  created_at timestamptz not null default now(),
  primary key (junior_session_id, senior_session_id),
  check (junior_session_id <> senior_session_id)
);

create index uncle_links_by_senior on uncle_links (senior_session_id, junior_session_id);

-- The first children of a parent are found without looking at all of them.
drop index sessions_by_parent;
create index sessions_by_parent on sessions (parent_session_id, id) where parent_session_id is not null;

-- Who may be recognised where something is said. Nobody, until a surface that knows people puts them here.
create table people (
  key text primary key check (key <> ''),
  display_name text not null check (display_name <> ''),
  is_admin boolean not null default false,
  chat_user_id text constraint people_chat_user_id_key unique check (chat_user_id <> ''),
  created_at timestamptz not null default now()
);

create index people_admins on people (key) where is_admin;

-- What a person who was recognised said to a session. The author's name is looked up when it is read: the record stays
-- when the person is no longer listed, so this is no reference.
create table human_messages (
  id bigint generated always as identity primary key,
  session_id bigint not null references sessions (id) on delete cascade,
  author_key text not null check (author_key <> ''),
  channel text not null check (channel in ('web_ui', 'chat')),
  -- The chat room, where it is known.
  room_name text,
  entry_point text not null check (entry_point <> ''),
  content text not null check (char_length(content) <= 500000),
  occurred_at timestamptz not null
);

create index human_messages_by_session on human_messages (session_id, occurred_at, id);

create trigger human_messages_append_only before update or delete on human_messages
  for each row execute function refuse_rewriting();
