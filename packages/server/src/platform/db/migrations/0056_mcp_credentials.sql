-- The tokens with which agents reach MCP servers. A token endpoint is https with a host and no user name; null means that the token
-- cannot be refreshed. `refresh_run` is set before a refresh is sent and cleared with what came of it.
create domain secure_address as text check (value ~ '^https://[^/?#@\\[:cntrl:]]+([/?#]|$)');

create table mcp_credentials (
  id uuid primary key,
  credential_key text not null unique,
  server_name text not null,
  server_url text not null,
  issuer text,
  client_id text not null,
  client_auth_method text not null check (client_auth_method in ('none', 'client_secret_post', 'client_secret_basic')),
  client_secret sealed_text,
  access_token sealed_text not null,
  refresh_token sealed_text,
  token_endpoint secure_address,
  scopes text,
  resource text,
  expires_at timestamptz,
  refresh_token_unsupported boolean not null,
  refresh_run uuid,
  refresh_host text,
  refresh_until timestamptz,
  refresh_after timestamptz,
  refreshed_at timestamptz,
  refresh_error text,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  check ((refresh_run is null) = (refresh_until is null))
);
create index mcp_credentials_expiry on mcp_credentials (expires_at) where refresh_token is not null;

-- Whether an MCP server demands a token, as it was seen last.
create table mcp_server_probes (
  server_url text primary key,
  requires_oauth boolean not null,
  checked_at timestamptz not null default now()
);

-- What an authorization server registered for us, by the address that it sends people back to.
create table mcp_oauth_clients (
  id uuid primary key,
  issuer text not null,
  redirect_uri text not null,
  client_id text not null,
  client_auth_method text not null check (client_auth_method in ('none', 'client_secret_post', 'client_secret_basic')),
  client_secret sealed_text,
  secret_expires_at timestamptz,
  created_at timestamptz not null default now(),
  unique (issuer, redirect_uri)
);

-- Authorizations that a person began. `state_hash`: the state itself is only in the address of the authorization server.
create table mcp_oauth_flows (
  id uuid primary key,
  state_hash bytea not null unique,
  session_id bigint references sessions (id) on delete cascade,
  sign_in_id bigint,
  server_name text not null,
  credential_key text not null,
  server json not null,
  issuer text,
  token_endpoint secure_address not null,
  client_id text not null,
  client_auth_method text not null check (client_auth_method in ('none', 'client_secret_post', 'client_secret_basic')),
  client_secret sealed_text,
  code_verifier sealed_text not null,
  redirect_uri text not null,
  scopes text,
  resource text,
  is_manual boolean not null,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null,
  unique (session_id, server_name)
);
create index mcp_oauth_flows_expiry on mcp_oauth_flows (expires_at);
