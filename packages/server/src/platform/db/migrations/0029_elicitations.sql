-- Questions of a session to a person, from an MCP server, a caller, or the agent itself.
create table elicitations (
  id bigint generated always as identity primary key,
  session_id bigint not null references sessions (id) on delete cascade,
  -- Chosen by the asker.
  request_id text not null unique check (request_id <> '' and char_length(request_id) <= 255),
  -- Of the keys in `_meta`; the asker is answered in it.
  namespace text not null,
  asked_by text not null check (asked_by in ('mcp_server', 'api', 'agent')),
  -- The run of the turn whose processes wait for the answer. Null if a caller asked with an API key.
  run_marker text check ((run_marker is null) = (asked_by = 'api')),
  status text not null default 'pending' check (status in ('pending', 'accept', 'decline', 'cancel', 'expired')),
  mode text not null default 'form' check (mode = 'form'),
  message text not null check (message <> ''),
  -- `json` keeps the order of the fields, which is the order of the form.
  requested_schema json,
  meta json not null default '{}',
  tool_name text,
  context text,
  mcp_session_id text,
  expires_at timestamptz not null,
  response_content json check (response_content is null or status = 'accept'),
  responded_at timestamptz check ((responded_at is null) = (status = 'pending')),
  -- Why it is expired.
  lost_reason text check (lost_reason is null or (lost_reason in ('expired', 'stranded') and status = 'expired')),
  -- When an MCP server last asked for the answer, to within seconds.
  polled_at timestamptz not null default now(),
  -- When its asker got the answer.
  delivered_at timestamptz,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);

create index elicitations_pending on elicitations (expires_at) where status = 'pending';
create index elicitations_of_session on elicitations (session_id, id);
create index elicitations_of_run on elicitations (run_marker) where run_marker is not null;

-- With which the MCP servers of a session's running turn ask: the newest run's only.
create table elicitation_tokens (
  session_id bigint primary key references sessions (id) on delete cascade,
  -- Only the digest is stored.
  digest bytea not null unique,
  run_marker text not null,
  created_at timestamptz not null default now()
);
