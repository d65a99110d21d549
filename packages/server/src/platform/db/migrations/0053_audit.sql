-- Who changed what, when and from where. Never a body or a secret.
create table audit_entries (
  id bigint generated always as identity primary key,
  entry_key uuid not null unique,
  at timestamptz not null,
  actor_kind text not null,
  actor text not null,
  key text,
  session_id bigint,
  operation text not null,
  target text,
  surface text not null,
  address text,
  status int not null,
  request_id text
);
create index audit_entries_at on audit_entries (at desc, id desc);
create index audit_entries_target on audit_entries (target, at desc) where target is not null;
create index audit_entries_text on audit_entries using gin (
  (actor || ' ' || coalesce(key, '') || ' ' || operation || ' ' || coalesce(target, '') || ' ' || coalesce(address, ''))
  gin_trgm_ops
);
