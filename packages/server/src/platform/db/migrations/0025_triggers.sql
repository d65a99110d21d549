-- What starts or resumes a session: a template, the conditions that fire it, and the limits on how often it does.
create table triggers (
  id bigint generated always as identity primary key,
  name text not null check (name <> '' and char_length(name) <= 255),
  status text not null default 'enabled' check (status in ('enabled', 'disabled', 'failed')),
  agent_root_name text not null check (agent_root_name <> ''),
  prompt_template text not null check (prompt_template <> '' and char_length(prompt_template) <= 500000),
  goal text check (char_length(goal) <= 50000),
  reuse_session boolean not null default false,
  enqueue_messages boolean not null default false,
  resuscitate_archived boolean not null default false,
  skip_if_pending_session boolean not null default false,
  max_sessions_per_minute int check (max_sessions_per_minute > 0),
  coalesce_window_seconds int check (coalesce_window_seconds >= 0),
  scheduling_class text check (scheduling_class in ('spot', 'priority')),
  precedence int check (precedence between -1000000000 and 1000000000),
  mcp_servers text[] not null default '{}',
  catalog_skills text[] not null default '{}',
  catalog_hooks text[] not null default '{}',
  catalog_plugins text[] not null default '{}',
  -- Names that past fires did not find in the catalog: {list: {name: first seen}}.
  unresolved_references jsonb not null default '{}' check (jsonb_typeof(unresolved_references) = 'object'),

  -- The session to follow up, if sessions are re-used; otherwise the newest one spawned.
  last_session_id bigint references sessions (id) on delete set null,
  last_triggered_at timestamptz,
  sessions_created_count int not null default 0,
  missed_fire_count int not null default 0,
  first_missed_fire_at timestamptz,

  -- Fires on the spawn path, counted in windows of a minute. Over the cap a burst is announced once, then fires are dropped.
  burst_window_started_at timestamptz,
  burst_window_count int not null default 0,
  burst_window_session_ids bigint[] not null default '{}',
  burst_ends_at timestamptz,
  suppressed_event_count int not null default 0,

  -- How often a one-time fire failed in a row; after the last attempt the trigger is parked as failed.
  failed_attempts int not null default 0,
  failed_at timestamptz,
  last_error text,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),

  check (reuse_session or not (enqueue_messages or resuscitate_archived)),
  check ((status = 'failed') = (failed_at is not null))
);

create index triggers_by_target on triggers (last_session_id) where last_session_id is not null;

-- Any of a trigger's conditions fires it.
create table trigger_conditions (
  id bigint generated always as identity primary key,
  trigger_id bigint not null references triggers (id) on delete cascade,
  condition_type text not null check (
    condition_type in ('chat', 'forge_issue', 'forge_label', 'schedule', 'ao_event')
  ),
  -- Only what the caller wrote. Pollers keep their state in trigger_cursors.
  configuration jsonb not null check (jsonb_typeof(configuration) = 'object'),
  -- A one-time schedule or a watch on one session: it fires once.
  is_one_shot boolean not null,
  -- Since when it counts: its creation, the last time it was enabled, or the last change of its time.
  armed_at timestamptz not null default now(),
  -- Null unless it is a schedule of an enabled trigger that is still to run.
  next_run_at timestamptz,
  last_triggered_at timestamptz,
  last_polled_at timestamptz,
  created_at timestamptz not null default now()
);

create index trigger_conditions_by_trigger on trigger_conditions (trigger_id, id);
create index trigger_conditions_due on trigger_conditions (next_run_at) where next_run_at is not null;
create index trigger_conditions_by_type on trigger_conditions (condition_type);
create index trigger_conditions_by_event on trigger_conditions (
  (configuration ->> 'event_name'), (configuration ->> 'watched_session_id')
) where condition_type = 'ao_event';

-- The claim on an event: it fires a trigger once, whichever way it is seen first and however often.
create table trigger_events (
  trigger_id bigint not null references triggers (id) on delete cascade,
  event_key text not null,
  -- Messages of one conversation within the window of the first are one event.
  conversation text,
  occurred_at timestamptz not null,
  -- The session that the event started or resumed. Not a reference: it outlives the session.
  session_id bigint,
  -- The first event of a group, which later ones are folded into.
  is_anchor boolean not null default false,
  created_at timestamptz not null default now(),
  primary key (trigger_id, event_key)
);

create index trigger_events_by_conversation on trigger_events (trigger_id, conversation, occurred_at) where is_anchor;
create index trigger_events_by_age on trigger_events (created_at);

-- How far pollers have read, for each condition.
create table trigger_cursors (
  condition_id bigint not null references trigger_conditions (id) on delete cascade,
  name text not null,
  state jsonb not null,
  updated_at timestamptz not null default now(),
  primary key (condition_id, name)
);

-- What became of each fire, the latest of each trigger only. Not references: a record outlives what it names.
create table trigger_fires (
  id bigint generated always as identity primary key,
  trigger_id bigint not null references triggers (id) on delete cascade,
  condition_id bigint,
  fired_by text not null check (
    fired_by in ('chat', 'forge_issue', 'forge_label', 'schedule', 'ao_event', 'invoke')
  ),
  event_key text not null,
  outcome text not null check (
    outcome in (
      'spawned', 'delivered', 'queued', 'coalesced', 'dropped', 'skipped', 'burst_notice', 'suppressed', 'failed'
    )
  ),
  session_id bigint,
  reason text,
  -- When a schedule was due.
  scheduled_for timestamptz,
  -- Repeats of the same event with the same outcome share a row.
  times int not null default 1,
  fired_at timestamptz not null default now(),
  last_fired_at timestamptz not null default now()
);

create index trigger_fires_by_trigger on trigger_fires (trigger_id, id desc);

create index sessions_by_trigger on sessions ((metadata ->> 'trigger_id'), created_at desc)
  where metadata ? 'trigger_id';

-- The trigger whose prompt it carries: a trigger does not queue its prompt again while the last one waits.
alter table turns add column trigger_id bigint;
alter table enqueued_messages add column trigger_id bigint;

-- Until now nothing armed a wake. A wake is a one-shot condition of an enabled trigger that follows up a session.
drop table armed_wakes;
create view armed_wakes as
  select conditions.id, triggers.last_session_id as session_id, conditions.next_run_at as at, conditions.created_at
  from triggers
  join trigger_conditions as conditions on conditions.trigger_id = triggers.id
  where triggers.status = 'enabled'
    and triggers.reuse_session
    and triggers.last_session_id is not null
    and conditions.is_one_shot
    and conditions.last_triggered_at is null;
