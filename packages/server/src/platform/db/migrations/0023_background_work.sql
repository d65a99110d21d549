-- Which host runs a periodic task that only one host may run at a time. The holder renews; an expired lease is free.
create table leases (
  name text primary key,
  owner text,
  expires_at timestamptz
);

-- How the runs of a periodic task end on each host, for the health report.
create table periodic_runs (
  name text not null,
  host_id text not null,
  last_run_at timestamptz not null,
  last_duration_ms integer not null check (last_duration_ms >= 0),
  last_error text,
  last_error_at timestamptz,
  consecutive_failures integer not null check (consecutive_failures >= 0),
  primary key (name, host_id)
);

-- The cursor of each durable subscription: every event of its kinds up to `position` is handled or recorded as failed.
create table event_subscriptions (
  name text primary key,
  kinds text[] not null,
  position bigint not null check (position >= 0),
  attempts integer not null default 0 check (attempts >= 0),
  retry_at timestamptz,
  last_error text,
  moved_at timestamptz not null default now()
);

-- Events that a subscription gave up on after its last attempt.
create table event_subscription_failures (
  id bigint generated always as identity primary key,
  subscription text not null,
  position bigint not null,
  event_name text not null,
  session_id bigint,
  payload jsonb not null,
  error text not null,
  attempts integer not null,
  failed_at timestamptz not null default now(),
  unique (subscription, position)
);

-- The newest position that retention deleted. A cursor below it may have missed events.
create table event_retention (
  is_only_row boolean primary key default true check (is_only_row),
  pruned_through bigint not null
);

insert into event_retention (pruned_through) values (0);
