-- The outbox. A row is written in the transaction of what it reports. Its position is given after the commit, under a
-- lock, so that a reader who has seen position n has seen every event before it; ids alone commit out of order.
create table events (
  id bigint generated always as identity primary key,
  position bigint unique,
  name text not null,
  session_id bigint,
  payload jsonb not null,
  created_at timestamptz not null default now()
);

create sequence event_positions;

create index events_unplaced on events (id) where position is null;
create index events_by_age on events (created_at);
