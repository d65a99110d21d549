create table turns (
  id uuid primary key default gen_random_uuid(),
  session_id bigint not null references sessions (id) on delete cascade,
  sequence int not null check (sequence >= 1),
  source text not null check (
    source in ('create', 'follow_up', 'queued_message', 'trigger', 'wake', 'heartbeat', 'recovery', 'summary')
  ),
  prompt text not null,
  goal text,
  state text not null default 'queued' check (state in ('queued', 'dispatched', 'executing', 'ended')),
  outcome text check (outcome in ('completed', 'interrupted', 'failed')),
  failure_reason text,
  error text,

  -- Who runs it, and how to recognise its processes after a crash of ours.
  lease_owner text,
  lease_expires_at timestamptz,
  run_marker text,
  pid int,
  pid_start_time text,

  created_at timestamptz not null default now(),
  dispatched_at timestamptz,
  -- When the agent was seen to have its prompt: from here on the turn is never begun anew.
  started_at timestamptz,
  ended_at timestamptz,

  constraint turns_sequence_key unique (session_id, sequence),
  check ((state = 'ended') = (outcome is not null)),
  check ((state = 'executing') <= (lease_owner is not null))
);

-- At most one live turn a session, whatever the code does.
create unique index turns_one_live on turns (session_id) where state in ('dispatched', 'executing');
create index turns_queued on turns (created_at, id) where state = 'queued';
create index turns_leased on turns (lease_owner) where state in ('dispatched', 'executing');
