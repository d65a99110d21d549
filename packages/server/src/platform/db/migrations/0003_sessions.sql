create table sessions (
  id bigint generated always as identity primary key,
  slug text constraint sessions_slug_key unique check (slug ~ '^[a-z0-9-]+$' and slug !~ '^[0-9]+$'),
  idempotency_key text constraint sessions_idempotency_key_key unique check (char_length(idempotency_key) <= 255),
  title text check (char_length(title) <= 100),
  status text not null default 'waiting' check (status in ('waiting', 'running', 'needs_input', 'failed', 'archived')),
  agent_runtime text not null,
  genesis text not null check (
    genesis in ('web_ui', 'chat', 'forge_issue', 'forge_label', 'schedule', 'ao_event', 'api', 'unknown')
  ),
  scheduling_class text check (scheduling_class in ('spot', 'priority')),
  precedence int not null default 0 check (precedence between -1000000000 and 1000000000),
  parent_session_id bigint references sessions (id) on delete set null,
  summary_of_session_id bigint references sessions (id) on delete cascade,

  prompt text check (char_length(prompt) <= 500000),
  git_root text not null check (git_root <> ''),
  branch text not null check (branch <> ''),
  subdirectory text,
  goal text check (char_length(goal) <= 50000),
  mcp_servers text[] not null default '{}',
  injected_mcp_servers text[] not null default '{}',
  catalog_skills text[] not null default '{}',
  catalog_hooks text[] not null default '{}',
  catalog_plugins text[] not null default '{}',
  config jsonb not null default '{}' check (jsonb_typeof(config) = 'object'),
  metadata jsonb not null default '{}' check (jsonb_typeof(metadata) = 'object'),
  custom_metadata jsonb not null default '{}' check (jsonb_typeof(custom_metadata) = 'object'),

  is_autonomous boolean not null default true,
  heartbeat_enabled boolean not null default false,
  heartbeat_interval_seconds int not null default 60 check (heartbeat_interval_seconds between 30 and 86400),
  auto_compact_window int not null default 1000000 check (auto_compact_window between 1 and 1000000),

  category_id bigint references categories (id) on delete set null,
  favorited boolean not null default false,
  visibility text not null default 'visible' check (visibility in ('visible', 'hidden', 'snoozed')),
  snoozed_until timestamptz,
  session_notes text check (char_length(session_notes) <= 50000),
  session_notes_updated_at timestamptz,

  -- The runtime's own id of the conversation, and the host whose disk holds the clone.
  session_id text constraint sessions_session_id_key unique,
  host_id text,
  -- Ids of turns. Not references: a session and its first turn are written in one transaction, in either order.
  job_id uuid,
  running_job_id uuid,

  archived_at timestamptz,
  trash_after timestamptz,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),

  check ((visibility = 'snoozed') = (snoozed_until is not null)),
  check ((status = 'archived') = (archived_at is not null))
);

-- A list is newest first and nearly always without archived sessions; summary forks are never listed.
create index sessions_listed on sessions (created_at desc, id desc)
  where status <> 'archived' and summary_of_session_id is null;
create index sessions_listed_with_archived on sessions (created_at desc, id desc) where summary_of_session_id is null;
create index sessions_by_category on sessions (category_id) where category_id is not null;
create index sessions_by_parent on sessions (parent_session_id) where parent_session_id is not null;
create index sessions_by_summarised on sessions (summary_of_session_id) where summary_of_session_id is not null;

-- For tables that only grow. Rows go with the session they belong to and in no other way.
create function refuse_rewriting() returns trigger language plpgsql as $$
begin
  if tg_op = 'DELETE' and not exists (select from sessions where id = old.session_id) then
    return old;
  end if;
  raise exception '% is append-only: % refused', tg_table_name, lower(tg_op);
end
$$;

create table session_transitions (
  id bigint generated always as identity primary key,
  session_id bigint not null references sessions (id) on delete cascade,
  cause text not null,
  from_status text not null,
  to_status text not null,
  turn_id uuid,
  created_at timestamptz not null default now()
);

create index session_transitions_by_session on session_transitions (session_id, id);

create trigger session_transitions_append_only before update or delete on session_transitions
  for each row execute function refuse_rewriting();
