-- Calls that the service makes itself, such as a status summary, are rows of the same ledger: one unique request id counts a
-- call once. `session_id` is then the session that the call was about.
alter table session_usage add column source text;
create index session_usage_by_source on session_usage (source, called_at);

-- So far the calls of status summaries counted as a subagent's. They are the only ones without a conversation.
update session_usage set source = 'status_summary', subagent = false where subagent and runtime_session_id is null;

-- The ledger summed by hour. The triggers below keep it equal to the rows, whichever version of a host writes them.
create table usage_hours (
  hour timestamptz not null,
  session_id bigint,
  runtime_session_id text,
  agent_root text,
  agent_runtime text not null,
  model text not null,
  subagent boolean not null,
  source text,
  api_calls bigint not null,
  input_tokens bigint not null,
  output_tokens bigint not null,
  cache_read_tokens bigint not null,
  cache_creation_tokens bigint not null,
  cache_creation_5m_tokens bigint not null,
  cache_creation_1h_tokens bigint not null,
  -- Cache writes whose lifetime is unknown: those of calls that report neither part.
  cache_creation_unsplit_tokens bigint not null,
  web_search_requests bigint not null,
  web_fetch_requests bigint not null,
  constraint usage_hours_key unique nulls not distinct
    (hour, session_id, runtime_session_id, agent_root, agent_runtime, model, subagent, source)
);

create index usage_hours_by_session on usage_hours (session_id, hour);
create index usage_hours_by_root on usage_hours (agent_root, hour);

-- Adds rows that appear, or subtracts rows that go: the argument is the sign. Deleting a session changes its rows.
create function sum_up_usage() returns trigger language plpgsql as $$
declare
  sign int := tg_argv[0];
begin
  insert into usage_hours as known
  select date_trunc('hour', called_at, 'UTC'), session_id, runtime_session_id, agent_root, agent_runtime, model, subagent, source,
    sign * count(*), sign * sum(input_tokens), sign * sum(output_tokens), sign * sum(cache_read_tokens),
    sign * sum(cache_creation_tokens), sign * sum(cache_creation_5m_tokens), sign * sum(cache_creation_1h_tokens),
    sign * coalesce(sum(cache_creation_tokens) filter (where cache_creation_5m_tokens = 0 and cache_creation_1h_tokens = 0), 0),
    sign * sum(web_search_requests), sign * sum(web_fetch_requests)
  from changed
  group by 1, 2, 3, 4, 5, 6, 7, 8
  -- One order for all writers, so that two of them cannot wait for each other.
  order by 1, 2, 3, 4, 5, 6, 7, 8
  on conflict on constraint usage_hours_key do update
  set api_calls = known.api_calls + excluded.api_calls,
      input_tokens = known.input_tokens + excluded.input_tokens,
      output_tokens = known.output_tokens + excluded.output_tokens,
      cache_read_tokens = known.cache_read_tokens + excluded.cache_read_tokens,
      cache_creation_tokens = known.cache_creation_tokens + excluded.cache_creation_tokens,
      cache_creation_5m_tokens = known.cache_creation_5m_tokens + excluded.cache_creation_5m_tokens,
      cache_creation_1h_tokens = known.cache_creation_1h_tokens + excluded.cache_creation_1h_tokens,
      cache_creation_unsplit_tokens = known.cache_creation_unsplit_tokens + excluded.cache_creation_unsplit_tokens,
      web_search_requests = known.web_search_requests + excluded.web_search_requests,
      web_fetch_requests = known.web_fetch_requests + excluded.web_fetch_requests;
  if sign < 0 then
    delete from usage_hours
    where api_calls = 0
      and hour in (select date_trunc('hour', called_at, 'UTC') from changed);
  end if;
  return null;
end
$$;

insert into usage_hours
select date_trunc('hour', called_at, 'UTC'), session_id, runtime_session_id, agent_root, agent_runtime, model, subagent, source,
  count(*), sum(input_tokens), sum(output_tokens), sum(cache_read_tokens), sum(cache_creation_tokens),
  sum(cache_creation_5m_tokens), sum(cache_creation_1h_tokens),
  coalesce(sum(cache_creation_tokens) filter (where cache_creation_5m_tokens = 0 and cache_creation_1h_tokens = 0), 0),
  sum(web_search_requests), sum(web_fetch_requests)
from session_usage
group by 1, 2, 3, 4, 5, 6, 7, 8;

create trigger usage_added after insert on session_usage
  referencing new table as changed for each statement execute function sum_up_usage('1');
create trigger usage_changed_from after update on session_usage
  referencing old table as changed for each statement execute function sum_up_usage('-1');
create trigger usage_changed_to after update on session_usage
  referencing new table as changed for each statement execute function sum_up_usage('1');
create trigger usage_removed after delete on session_usage
  referencing old table as changed for each statement execute function sum_up_usage('-1');

-- Sweeps that read usage again from what sessions wrote. At most one is unfinished.
create table cost_backfills (
  id bigint generated always as identity primary key,
  trigger text not null check (trigger in ('automatic', 'manual')),
  -- The last session that the sweep has read.
  last_session_id bigint not null default 0,
  sessions_done int not null default 0,
  sessions_total int not null default 0,
  threads_scanned int not null default 0,
  rows_written bigint not null default 0,
  last_error text,
  created_at timestamptz not null default now(),
  started_at timestamptz,
  last_ran_at timestamptz,
  finished_at timestamptz
);

create unique index one_unfinished_cost_backfill on cost_backfills ((true)) where finished_at is null;
