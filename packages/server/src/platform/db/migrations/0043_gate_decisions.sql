-- What gates decided about pull requests and issues, and what people think of it. Nothing here is ever changed: a correction
-- is another row. So sessions are kept by number and not by reference, which would change rows when a session is deleted.
create table gate_decisions (
  -- Without gaps: the highest is the number of rows.
  id bigint primary key check (id > 0),
  gate text not null check (gate in ('pr_merge', 'issue_work')),
  surface text not null,
  decision text,
  artifact_url text,
  producing_session_url text,
  title text,
  decided_on date,
  -- The day that orders the list.
  listed_on date not null,
  writing_session_id bigint,
  recorded_via text not null check (recorded_via in ('import', 'mcp', 'api')),
  recorded_at timestamptz not null,
  payload jsonb not null,
  -- The keys and values of the payload in lower case, a line each.
  searched text not null
);

create index gate_decisions_by_day on gate_decisions (listed_on desc, id desc);
create index gate_decisions_by_gate on gate_decisions (gate, listed_on desc, id desc);
create index gate_decisions_by_surface on gate_decisions (surface, listed_on desc, id desc);
create index gate_decisions_by_decision on gate_decisions (decision, listed_on desc, id desc);
create index gate_decisions_by_artifact on gate_decisions (artifact_url, listed_on desc, id desc);
create index gate_decisions_by_part_of_artifact on gate_decisions using gin (lower(artifact_url) gin_trgm_ops);
create index gate_decisions_by_text on gate_decisions using gin (searched gin_trgm_ops);

create table gate_feedbacks (
  id bigint generated always as identity primary key,
  decision_id bigint not null references gate_decisions (id),
  verdict text not null,
  note text,
  author text,
  channel text not null check (channel in ('web_ui', 'imported')),
  received_at timestamptz not null,
  recorded_at timestamptz not null default now(),
  check (channel <> 'web_ui' or author is not null)
);

create index gate_feedbacks_by_decision on gate_feedbacks (decision_id, id);

create function refuse_change() returns trigger language plpgsql as $$
begin
  raise exception '% is append-only', tg_table_name using errcode = 'restrict_violation';
end
$$;

create trigger gate_decisions_stay before update or delete or truncate on gate_decisions
  for each statement execute function refuse_change();
create trigger gate_feedbacks_stay before update or delete or truncate on gate_feedbacks
  for each statement execute function refuse_change();
