-- Refresh tokens that an account had before its present one, by digest. A login file with one of them is out of date, whenever
-- it says that it expires. The account is null after its deletion.
create table account_past_tokens (
  token_digest bytea primary key,
  account_id bigint references accounts (id) on delete set null,
  replaced_at timestamptz not null default now()
);
create index account_past_tokens_account on account_past_tokens (account_id);
create index account_past_tokens_replaced_at on account_past_tokens (replaced_at);
