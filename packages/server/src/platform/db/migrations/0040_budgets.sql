-- Older hosts may record calls meanwhile. Each is counted once: below, or by the trigger at the end.
lock table session_usage in share row exclusive mode;

-- A limit on what a session, a root or the whole service may spend in a day or a month, in dollars or in tokens.
create table budgets (
  id bigint generated always as identity primary key,
  scope text not null check (scope in ('service', 'agent_root', 'session')),
  agent_root text,
  session_id bigint references sessions (id) on delete cascade,
  period text not null check (period in ('day', 'month')),
  limit_usd double precision check (limit_usd > 0),
  limit_tokens bigint check (limit_tokens > 0),
  -- The start of the period in which people were told that 80 % and all of it were spent.
  warned_for timestamptz,
  exhausted_for timestamptz,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  check ((limit_usd is null) <> (limit_tokens is null)),
  check ((scope = 'agent_root') = (agent_root is not null)),
  check ((scope = 'session') = (session_id is not null))
);

create unique index budgets_key on budgets (scope, agent_root, session_id, period, (limit_usd is null)) nulls not distinct;

-- What was spent on each day, by the database's clock when a call is recorded. An agent chooses the time in its transcript,
-- so budgets do not count by that. Nothing is subtracted when calls or sessions are deleted. The triggers below add what is
-- recorded, whichever version of a host writes it.
create table spend_days (
  day date not null,
  session_id bigint,
  agent_root text,
  is_adhoc boolean not null,
  model text not null,
  tokens bigint not null,
  input_tokens bigint not null,
  output_tokens bigint not null,
  cache_read_tokens bigint not null,
  cache_creation_5m_tokens bigint not null,
  cache_creation_1h_tokens bigint not null,
  cache_creation_unsplit_tokens bigint not null,
  web_search_requests bigint not null,
  constraint spend_days_key unique nulls not distinct (day, session_id, agent_root, is_adhoc, model)
);

create index spend_days_by_session on spend_days (session_id, day);
create index spend_days_by_root on spend_days (agent_root, day);

insert into spend_days
select (least(hour, now()) at time zone 'UTC')::date, session_id, agent_root, source is not null, model,
  sum(input_tokens + output_tokens + cache_read_tokens + cache_creation_tokens), sum(input_tokens), sum(output_tokens),
  sum(cache_read_tokens), sum(cache_creation_5m_tokens), sum(cache_creation_1h_tokens), sum(cache_creation_unsplit_tokens),
  sum(web_search_requests)
from usage_hours
group by 1, 2, 3, 4, 5;

-- A sweep of history names the day of the call. Null is the day of the recording.
alter table session_usage add column spent_on date;

-- Adds a call that appears, or what a later report adds to it; the argument is where the earlier report is. Nothing is subtracted, so
-- that no report lowers what an agent has spent. A call whose model was unknown had no price: the whole of it gets one.
create function add_spending() returns trigger language plpgsql as $$
begin
  execute format($insert$
    insert into spend_days as known
    select least(changed.spent_on, (now() at time zone 'UTC')::date), changed.session_id, changed.agent_root,
      changed.source is not null, changed.model,
      sum(greatest(
        0,
        changed.input_tokens + changed.output_tokens + changed.cache_read_tokens + changed.cache_creation_tokens
        - coalesce(before.input_tokens + before.output_tokens + before.cache_read_tokens + before.cache_creation_tokens, 0)
      )) as tokens,
      sum(greatest(0, changed.input_tokens - coalesce(priced.input_tokens, 0))) as input_tokens,
      sum(greatest(0, changed.output_tokens - coalesce(priced.output_tokens, 0))) as output_tokens,
      sum(greatest(0, changed.cache_read_tokens - coalesce(priced.cache_read_tokens, 0))) as cache_read_tokens,
      sum(greatest(0, changed.cache_creation_5m_tokens - coalesce(priced.cache_creation_5m_tokens, 0))) as written_5m,
      sum(greatest(0, changed.cache_creation_1h_tokens - coalesce(priced.cache_creation_1h_tokens, 0))) as written_1h,
      sum(
        case
          when changed.cache_creation_5m_tokens = 0 and changed.cache_creation_1h_tokens = 0
          then greatest(0, changed.cache_creation_tokens - coalesce(priced.cache_creation_tokens, 0))
          else 0
        end
      ) as written_unsplit,
      sum(greatest(0, changed.web_search_requests - coalesce(priced.web_search_requests, 0))) as web_search_requests
    from changed
    left join %1$s as before using (id)
    left join %1$s as priced on priced.id = changed.id and priced.model = changed.model
    where before.id is null or (before.model, before.input_tokens, before.output_tokens, before.cache_read_tokens,
      before.cache_creation_tokens, before.cache_creation_5m_tokens, before.cache_creation_1h_tokens, before.web_search_requests)
      <> (changed.model, changed.input_tokens, changed.output_tokens, changed.cache_read_tokens,
      changed.cache_creation_tokens, changed.cache_creation_5m_tokens, changed.cache_creation_1h_tokens, changed.web_search_requests)
    group by 1, 2, 3, 4, 5
    -- One order for all writers, so that two of them cannot wait for each other.
    order by 1, 2, 3, 4, 5
    on conflict on constraint spend_days_key do update
    set tokens = known.tokens + excluded.tokens,
        input_tokens = known.input_tokens + excluded.input_tokens,
        output_tokens = known.output_tokens + excluded.output_tokens,
        cache_read_tokens = known.cache_read_tokens + excluded.cache_read_tokens,
        cache_creation_5m_tokens = known.cache_creation_5m_tokens + excluded.cache_creation_5m_tokens,
        cache_creation_1h_tokens = known.cache_creation_1h_tokens + excluded.cache_creation_1h_tokens,
        cache_creation_unsplit_tokens = known.cache_creation_unsplit_tokens + excluded.cache_creation_unsplit_tokens,
        web_search_requests = known.web_search_requests + excluded.web_search_requests
  $insert$, tg_argv[0]);
  return null;
end
$$;

create trigger spending_added after insert on session_usage
  referencing new table as changed
  for each statement execute function add_spending('(select * from session_usage where false)');
create trigger spending_completed after update on session_usage
  referencing old table as earlier new table as changed
  for each statement execute function add_spending('earlier');

alter table notifications
  drop constraint notifications_notification_type_check,
  add constraint notifications_notification_type_check check (
    notification_type in (
      'session_complete', 'needs_input', 'session_failed', 'custom_message', 'elicitation_pending', 'budget_warning', 'budget_exhausted'
    )
  );
