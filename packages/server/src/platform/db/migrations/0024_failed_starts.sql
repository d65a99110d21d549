-- A turn that failed before its agent received the prompt starts again a few times, each time after a pause.
alter table turns
  add column failed_starts int not null default 0,
  add column retry_at timestamptz;
