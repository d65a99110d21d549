-- The lists of /supervisor are narrowed by these columns and ordered by the key. Without an index, a value that few records have is
-- searched in all of them: 13 times slower with 100,000 records than with 1,000. Cost rows have indexes that serve as well.
create index sessions_by_status on sessions (status, id);
create index sessions_by_runtime on sessions (agent_runtime, id);
create index triggers_by_status on triggers (status, id);
create index triggers_by_root on triggers (agent_root_name, id);
create index enqueued_messages_by_status on enqueued_messages (status, id);
create index elicitations_by_status on elicitations (status, id);
create index session_logs_by_level on session_logs (level, id);
create index subagent_transcripts_by_status on subagent_transcripts (status, id);
create index notifications_by_type on notifications (notification_type, id);
create index session_status_summaries_by_state on session_status_summaries (state, session_id);
