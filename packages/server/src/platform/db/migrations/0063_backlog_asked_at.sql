-- When a request about the issue was last begun, answered or not. `liveness_checked_at` is when the forge last answered.
alter table work_backlog_items add column liveness_asked_at timestamptz;
