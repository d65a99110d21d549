-- Recovery mode: halts most queues until it expires. Every host reads the time here, so no process has to lift it.
create table queue_recovery (
  is_only_row boolean primary key default true check (is_only_row),
  entered_at timestamptz not null,
  expires_at timestamptz not null check (expires_at > entered_at),
  reason text,
  entered_by text not null
);

-- What each host that runs turns says about itself: its agents' processes, what confines them, whether it reaches others.
create table host_reports (
  host_id text primary key,
  report jsonb not null check (jsonb_typeof(report) = 'object'),
  reported_at timestamptz not null default now()
);

-- How many jobs ended in each minute. The job queue itself forgets a job that succeeded.
create table job_counts (
  minute timestamptz not null,
  job text not null,
  queue text not null,
  succeeded int not null check (succeeded >= 0),
  failed int not null check (failed >= 0),
  last_ended_at timestamptz not null,
  primary key (minute, job, queue)
);

-- Work that a new version does once on the data of older ones, in slices.
create table post_deploy_tasks (
  version text primary key,
  name text not null,
  status text not null default 'pending' check (status in ('pending', 'running', 'succeeded', 'failed')),
  attempts int not null default 0 check (attempts >= 0),
  failures int not null default 0 check (failures >= 0),
  cursor jsonb,
  stats jsonb not null default '{}' check (jsonb_typeof(stats) = 'object'),
  lease_id uuid,
  lease_expires_at timestamptz,
  started_at timestamptz,
  finished_at timestamptz,
  last_ran_at timestamptz,
  next_attempt_at timestamptz default now(),
  last_error text,
  last_error_at timestamptz,
  check ((status = 'running') = (lease_id is not null)),
  check ((lease_id is null) = (lease_expires_at is null))
);

create index session_logs_errors on session_logs (created_at desc, id desc) where level = 'error';
create index turns_recoveries on turns (created_at) where source = 'recovery';
create index turns_failed_starts on turns (created_at) where failed_starts > 0;
