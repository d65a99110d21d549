-- How sessions went, as trees of segments. A later analysis of a session supersedes the earlier one, which stays.
create table outcome_analyses (
  id bigint generated always as identity primary key,
  session_id bigint not null references sessions (id) on delete cascade,
  analyzer_session_id bigint references sessions (id) on delete set null,
  schema_version text not null,
  notes text,
  -- Of the session when it was analysed.
  agent_root text,
  agent_runtime text not null,
  model text,
  session_created_at timestamptz not null,
  root_outcome text not null check (root_outcome in ('Success', 'Failure')),
  segment_count int not null,
  failure_segment_count int not null,
  success_segment_count int not null,
  max_depth int not null,
  analyzed_at timestamptz not null,
  superseded_at timestamptz,
  root jsonb not null
);

create unique index outcome_analyses_current on outcome_analyses (session_id) where superseded_at is null;
create index outcome_analyses_of_session on outcome_analyses (session_id);
create index outcome_analyses_of_analyzer on outcome_analyses (analyzer_session_id) where analyzer_session_id is not null;
create index outcome_analyses_by_time on outcome_analyses (analyzed_at desc, id desc) where superseded_at is null;
create index outcome_analyses_by_session_time on outcome_analyses (session_created_at) where superseded_at is null;
create index outcome_analyses_by_root on outcome_analyses (agent_root, analyzed_at desc, id desc) where superseded_at is null;
create index outcome_analyses_by_model on outcome_analyses (model, analyzed_at desc, id desc) where superseded_at is null;
create index outcome_analyses_by_outcome on outcome_analyses (root_outcome, analyzed_at desc, id desc)
  where superseded_at is null;

-- The number of current analyses, so that a page of the list need not count them.
create table outcome_counts (
  is_only boolean primary key default true check (is_only),
  current bigint not null
);
insert into outcome_counts (current) values (0);

create function count_outcomes() returns trigger language plpgsql as $$
begin
  update outcome_counts
  set current = current
    + (case when tg_op <> 'DELETE' and new.superseded_at is null then 1 else 0 end)
    - (case when tg_op <> 'INSERT' and old.superseded_at is null then 1 else 0 end);
  return null;
end
$$;

create trigger outcome_analyses_counted after insert or delete or update of superseded_at on outcome_analyses
  for each row execute function count_outcomes();
