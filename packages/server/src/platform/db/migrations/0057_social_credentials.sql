alter table mcp_credentials add column refresh_attempted_at timestamptz;

-- The tokens of social-network accounts. Each fills in one placeholder of the catalog; the fixed beginning of the name keeps it from taking
-- the place of another secret. The columns of a refresh are those of mcp_credentials.
create table social_credentials (
  id uuid primary key,
  account_key text not null unique,
  access_token_env_var text not null unique check (access_token_env_var ~ '^X_[A-Z0-9_]{1,100}$'),
  access_token sealed_text not null,
  refresh_token sealed_text,
  token_endpoint secure_address not null,
  scopes text,
  expires_at timestamptz,
  refresh_run uuid,
  refresh_host text,
  refresh_until timestamptz,
  refresh_after timestamptz,
  refresh_attempted_at timestamptz,
  refreshed_at timestamptz,
  refresh_error text,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  check ((refresh_run is null) = (refresh_until is null))
);
create index social_credentials_expiry on social_credentials (expires_at) where refresh_token is not null;

-- Authorizations that the operator began. `state_hash`: the state itself is only in the address of the provider.
create table social_oauth_flows (
  id uuid primary key,
  state_hash bytea not null unique,
  account_key text not null,
  access_token_env_var text not null,
  token_endpoint secure_address not null,
  code_verifier sealed_text not null,
  redirect_uri text not null,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null
);
