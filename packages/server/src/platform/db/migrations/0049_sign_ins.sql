-- Browsers in which a person has signed in. The cookie itself is stored nowhere.
create table sign_ins (
  id bigint generated always as identity primary key,
  token_hash bytea not null unique,
  -- Of the API key that it was made with, and ends with. Null: made on a server with open pages.
  key_hash bytea,
  signed_in_by text not null check (signed_in_by in ('key', 'link', 'none')),
  person_key text references people (key) on delete set null,
  is_operator boolean not null default false,
  user_agent text,
  created_at timestamptz not null,
  last_used_at timestamptz not null
);

create index sign_ins_by_use on sign_ins (last_used_at);

-- A link signs in once.
create table used_sign_in_links (
  secret_hash bytea primary key,
  used_at timestamptz not null
);

create index used_sign_in_links_by_time on used_sign_in_links (used_at);
