-- What a host left running when others took its turns over: it ends that when it comes back, and only then forgets it.
create table abandoned_runs (
  run_marker text primary key,
  host_id text not null,
  abandoned_at timestamptz not null default now()
);

create index abandoned_runs_by_host on abandoned_runs (host_id);

alter table turns drop column seized_from;
