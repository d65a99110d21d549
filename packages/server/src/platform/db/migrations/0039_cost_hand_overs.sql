-- Sessions whose files another host reads for a sweep. The sweep ends when none is left.
create table cost_hand_overs (
  run_id bigint not null references cost_backfills (id) on delete cascade,
  session_id bigint not null,
  host_id text not null,
  asked_at timestamptz not null default now(),
  primary key (run_id, session_id)
);

-- `last_error` is about the last session that was skipped; `failure` about one that is tried again, until that succeeds.
alter table cost_backfills
  add column failure text,
  add column failing_session_id bigint,
  add column sessions_skipped int not null default 0;
