-- Old rows are found by their age.
create index session_logs_by_age on session_logs (created_at);
create index session_logs_verbose_by_age on session_logs (created_at) where level = 'verbose';
create index turns_by_end on turns (ended_at) where state = 'ended';

-- Folders of sessions that do not exist, and since when a host has seen them. They are removed when that is long enough ago:
-- a fork writes its folders before its row, and a host may have been started on the wrong database.
create table orphaned_folders (
  host_id text not null,
  session_id bigint not null,
  seen_at timestamptz not null default now(),
  primary key (host_id, session_id)
);

-- Jobs of the previous version that periodic work replaced: no host would ever take them.
do $$
begin
  if to_regclass('graphile_worker._private_jobs') is not null then
    delete from graphile_worker._private_jobs as jobs
    using graphile_worker._private_tasks as tasks
    where tasks.id = jobs.task_id
      and tasks.identifier in ('prune_events', 'prune_notifications')
      and jobs.locked_at is null;
    delete from graphile_worker._private_known_crontabs
    where identifier in ('prune_events', 'prune_notifications');
  end if;
end
$$;
