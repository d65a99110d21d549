-- The ranked queue of work that was cleared and that no session has started. Rows stay as history.
create table work_backlog_items (
  -- Part of the sort key below, which has 31 bits for it.
  id bigint generated always as identity (maxvalue 2147483647) primary key,
  key text not null,
  issue_url text,
  repo text not null,
  surface text not null,
  title text not null,
  kind text not null,
  scope_direction text not null check (scope_direction in ('convergent', 'divergent')),
  estimated_cost text not null check (estimated_cost in ('small', 'medium', 'large')),
  gate_verdict text,
  decided_at date,
  payload jsonb not null default '{}',
  added_at timestamptz not null,
  added_by text not null,
  added_via text not null check (added_via in ('import', 'mcp', 'api')),
  precedence int not null,
  pinned boolean not null default false,
  status text not null default 'queued' check (status in ('queued', 'started', 'removed')),
  -- Sessions by number, without a reference: the history outlives them.
  writing_session_id bigint,
  started_session_id bigint,
  started_by_session_id bigint,
  started_at timestamptz,
  removed_at timestamptz,
  removed_by text,
  removal_reason text,
  -- The state of the issue when the forge was last asked, and when it is asked again; null is never.
  liveness text not null default 'unknown' check (liveness in ('unknown', 'open', 'closed', 'missing')),
  liveness_checked_at timestamptz,
  liveness_check_at timestamptz,
  -- Precedence descending, then id: the order of the queue as one number, lowest first.
  rank_key bigint not null generated always as (((2147483647 - precedence::bigint) << 31) | id) stored,
  check ((status = 'started') = (started_session_id is not null and started_at is not null)),
  check ((status = 'removed') = (removed_at is not null and removed_by is not null and removal_reason is not null))
);

create unique index work_backlog_queued_key on work_backlog_items (key) where status = 'queued';
create unique index work_backlog_started_session on work_backlog_items (started_session_id);
create index work_backlog_by_key on work_backlog_items (key, id);
create index work_backlog_all on work_backlog_items (rank_key);
create index work_backlog_by_status on work_backlog_items (status, rank_key);
create index work_backlog_by_surface on work_backlog_items (status, surface, rank_key);
create index work_backlog_by_repo on work_backlog_items (status, repo, rank_key);
create index work_backlog_by_kind on work_backlog_items (status, kind, rank_key);
create index work_backlog_by_adder on work_backlog_items (status, added_by, rank_key);
create index work_backlog_by_direction on work_backlog_items (status, scope_direction, rank_key);
create index work_backlog_by_cost on work_backlog_items (status, estimated_cost, rank_key);
create index work_backlog_pinned on work_backlog_items (status, rank_key) where pinned;
create index work_backlog_peers on work_backlog_items (estimated_cost, precedence) where status = 'queued' and not pinned;
create index work_backlog_to_check on work_backlog_items (liveness_check_at) where status = 'queued';

-- How many items there are of each kind that lists can ask for, so that a list says how many there are without counting.
create table work_backlog_counts (
  status text not null,
  surface text not null,
  repo text not null,
  kind text not null,
  scope_direction text not null,
  estimated_cost text not null,
  added_by text not null,
  pinned boolean not null,
  items int not null,
  primary key (status, surface, repo, kind, scope_direction, estimated_cost, added_by, pinned)
);

-- How many queued items have a sort key that begins with these bits, at seven lengths. The position of an item is the sum of
-- at most 255 counts of each length, however long the queue is.
create table work_backlog_ranks (
  shift int not null,
  prefix bigint not null,
  items int not null,
  primary key (shift, prefix)
);

create function count_backlog_items() returns trigger language plpgsql as $$
declare
  was bigint;
  becomes bigint;
begin
  if tg_op <> 'INSERT' then
    was := case when old.status = 'queued' then old.rank_key end;
  end if;
  if tg_op <> 'DELETE' then
    becomes := case when new.status = 'queued' then new.rank_key end;
  end if;
  insert into work_backlog_ranks as known
  select shift, rank_key >> shift, change
  from generate_series(8, 56, 8) as shift,
    (values (was, -1), (becomes, 1)) as sides (rank_key, change)
  where rank_key is not null
    and was >> shift is distinct from becomes >> shift
  on conflict on constraint work_backlog_ranks_pkey do update set items = known.items + excluded.items;
  delete from work_backlog_ranks
  using generate_series(8, 56, 8) as emptied
  where shift = emptied
    and prefix = was >> emptied
    and items = 0;
  if tg_op = 'UPDATE' and (old.status, old.pinned) is not distinct from (new.status, new.pinned) then
    return null;
  end if;
  if tg_op <> 'INSERT' then
    perform count_backlog_item(old, -1);
  end if;
  if tg_op <> 'DELETE' then
    perform count_backlog_item(new, 1);
  end if;
  return null;
end
$$;

create function count_backlog_item(item work_backlog_items, change int) returns void language sql as $$
  insert into work_backlog_counts as known
  values (
    item.status, item.surface, item.repo, item.kind, item.scope_direction, item.estimated_cost, item.added_by, item.pinned,
    change
  )
  on conflict on constraint work_backlog_counts_pkey do update set items = known.items + excluded.items;
$$;

create trigger work_backlog_counted after insert or delete on work_backlog_items
  for each row execute function count_backlog_items();
create trigger work_backlog_recounted after update on work_backlog_items
  for each row
  when ((old.status, old.pinned, old.precedence) is distinct from (new.status, new.pinned, new.precedence))
  execute function count_backlog_items();
