-- The vendor accounts that serve sessions. `login` holds the token pair as one sealed text, so that both change in one statement.
create table accounts (
  id bigint generated always as identity primary key,
  runtime text not null,
  email text not null,
  status text not null default 'active' check (status in ('active', 'quota_exceeded', 'needs_reauth')),
  status_reason text,
  is_current boolean not null default false,
  priority integer not null default 0,
  login sealed_text,
  expires_at timestamptz,
  can_refresh boolean not null default false,
  subscription_type text,
  rate_limit_tier text,
  quota_hit_count integer not null default 0,
  quota_resets_at timestamptz,
  -- Strikes: refreshes with a token that the vendor did not know.
  stale_refresh_failures integer not null default 0,
  last_stale_refresh_failure_at timestamptz,
  first_stale_refresh_failure_at timestamptz,
  -- Refreshes that the vendor did not handle, and when the next one is due.
  transient_refresh_failures integer not null default 0,
  retry_refresh_at timestamptz,
  last_refreshed_at timestamptz,
  last_rotated_to_at timestamptz,
  reauth_notified_at timestamptz,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  unique (runtime, email)
);
create unique index accounts_current on accounts (runtime) where is_current;

-- Written and committed before a refresh token is sent, deleted with the answer. A row without a request underway says that the
-- answer was lost: the token may be spent.
create table account_refreshes (
  account_id bigint primary key references accounts (id) on delete cascade,
  token_digest bytea not null,
  sent_at timestamptz not null default now()
);

-- One row for each runtime with accounts. Its lock is held while the current account changes.
create table account_pools (
  runtime text primary key,
  is_available boolean not null default true,
  recovers_at timestamptz,
  changed_at timestamptz not null default now()
);

-- What accounts served and are serving, by the run of a turn.
create table account_uses (
  run_marker text primary key,
  account_id bigint not null references accounts (id) on delete cascade,
  session_id bigint not null,
  started_at timestamptz not null default now()
);
create index account_uses_account on account_uses (account_id);
create index account_uses_started_at on account_uses (started_at);

-- Failures of a session's login, for the limit of attempts.
create table account_attempts (
  id bigint generated always as identity primary key,
  session_id bigint not null,
  runtime text not null,
  attempted_at timestamptz not null default now()
);
create index account_attempts_session on account_attempts (session_id, attempted_at);
create index account_attempts_attempted_at on account_attempts (attempted_at);

create table quota_snapshots (
  id bigint generated always as identity primary key,
  account_id bigint references accounts (id) on delete set null,
  account_email text not null,
  account_runtime text not null,
  trigger text not null check (trigger in ('rotation', 'bootstrap', 'manual_refresh', 'page_view', 'scheduled')),
  utilization_5h double precision,
  utilization_7d double precision,
  reset_5h timestamptz,
  reset_7d timestamptz,
  status_5h text,
  status_7d text,
  subscription_type text,
  rate_limit_tier text,
  overage_status text,
  overage_disabled_reason text,
  active_session_count integer not null default 0,
  created_at timestamptz not null default now()
);
create index quota_snapshots_account on quota_snapshots (account_id, id);
create index quota_snapshots_created_at on quota_snapshots (created_at);

create table account_rotations (
  id bigint generated always as identity primary key,
  runtime text not null,
  rotated_from_id bigint references accounts (id) on delete set null,
  rotated_from_email text,
  rotated_to_id bigint references accounts (id) on delete set null,
  rotated_to_email text,
  reason text not null,
  source text not null check (source in ('automatic', 'manual')),
  triggered_by text,
  created_at timestamptz not null default now()
);
create index account_rotations_created_at on account_rotations (created_at);
create index account_rotations_runtime on account_rotations (runtime, id);

-- Sign-ins from the dashboard: the vendor's own login command, driven by a host.
create table login_attempts (
  id bigint generated always as identity primary key,
  runtime text not null,
  status text not null default 'starting' check (
    status in ('starting', 'awaiting_user', 'awaiting_code', 'completing', 'succeeded', 'failed', 'canceled', 'expired')
  ),
  email text,
  verification_url text,
  verification_code text,
  pasted_code sealed_text,
  account_id bigint references accounts (id) on delete set null,
  account_email text,
  host_id text,
  pid integer,
  run_marker text,
  heartbeat_at timestamptz not null default now(),
  expires_at timestamptz not null,
  error_message text,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
create index login_attempts_created_at on login_attempts (created_at);
create index login_attempts_open on login_attempts (id)
  where status in ('starting', 'awaiting_user', 'awaiting_code', 'completing');

create table provider_keys (
  runtime text primary key,
  key sealed_text not null,
  updated_at timestamptz not null default now()
);

-- Sessions that wait for an account.
create index sessions_parked_on_accounts on sessions (agent_runtime, id) where metadata ? 'auth_outage_reason';

alter table notifications
  drop constraint notifications_notification_type_check,
  add constraint notifications_notification_type_check check (
    notification_type in (
      'session_complete', 'needs_input', 'session_failed', 'custom_message', 'elicitation_pending', 'budget_warning', 'budget_exhausted',
      'account_needs_reauth'
    )
  );
