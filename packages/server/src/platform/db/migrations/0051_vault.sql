-- A text that the vault sealed: AES-256-GCM by the key whose id stands in it. A column of this type refuses clear text.
create domain sealed_text as text check (value ~ '^v1\.[0-9a-f]{16}\.[A-Za-z0-9_-]+$');

-- The keys that seal credentials: their ids, never the keys. Two while keys are rotated. `check_value` is a known text sealed by
-- the key, so that a host without the key refuses to start.
create table vault_keys (
  id text primary key check (id ~ '^[0-9a-f]{16}$'),
  check_value sealed_text not null,
  is_current boolean not null,
  created_at timestamptz not null default now()
);
create unique index vault_keys_current on vault_keys (is_current) where is_current;
