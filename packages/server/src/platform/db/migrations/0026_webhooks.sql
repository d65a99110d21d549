-- What the chat platform and the forge have delivered. A delivery that is sent twice is accepted once.
create table webhook_deliveries (
  source text not null check (source in ('chat', 'forge')),
  delivery_id text not null check (delivery_id <> '' and char_length(delivery_id) <= 255),
  received_at timestamptz not null default now(),
  primary key (source, delivery_id)
);

create index webhook_deliveries_by_age on webhook_deliveries (received_at);

-- How the pollers of external systems are doing. A poll that the system throttled is postponed, on every host.
create table poller_states (
  name text primary key,
  deferrals int not null default 0 check (deferrals >= 0),
  not_before timestamptz,
  incomplete_count int not null default 0 check (incomplete_count >= 0),
  succeeded_at timestamptz
);
