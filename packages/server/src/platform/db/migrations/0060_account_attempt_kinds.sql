-- A login that was refreshed meanwhile is adopted without using up one of the attempts, but not without end.
alter table account_attempts
  add column kind text not null default 'rejection' check (kind in ('rejection', 'adoption'));
