-- Every host that takes work says here that it lives, by the database's clock.
create table hosts (
  id text primary key,
  seen_at timestamptz not null default now()
);
