-- API keys with a name and a scope. Only the hash of a key is stored.
create table api_keys (
  id bigint generated always as identity primary key,
  hash bytea not null unique,
  label text not null,
  scope text not null check (scope in ('read', 'full')),
  -- The first characters, by which a person tells keys apart.
  beginning text not null,
  made_by text not null check (made_by in ('operator', 'command')),
  created_at timestamptz not null default now(),
  expires_at timestamptz,
  revoked_at timestamptz,
  last_used_at timestamptz
);
create unique index api_keys_label on api_keys (label) where revoked_at is null;

-- The key with which a browser signed in, if it is one of these: the sign-in ends with it.
alter table sign_ins add column api_key_id bigint references api_keys (id);
