-- A row here halts its queue on every host.
create table paused_queues (
  queue text primary key,
  reason text,
  paused_at timestamptz not null default now()
);

-- Which host a job worker belongs to, so that a host that comes back after a crash can release what it had locked.
create table job_workers (
  worker_id text primary key,
  host_id text not null,
  created_at timestamptz not null default now()
);

create index job_workers_by_host on job_workers (host_id);
