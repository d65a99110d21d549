-- One row a model call that an agent made. Volumes are stored, money is computed when it is read.
create table session_usage (
  id bigint generated always as identity primary key,
  request_id text not null constraint session_usage_request_id_key unique,
  session_id bigint references sessions (id) on delete set null,
  agent_root text,
  agent_runtime text not null,
  runtime_session_id text,
  subagent boolean not null default false,
  model text not null,
  called_at timestamptz not null,
  input_tokens bigint not null default 0 check (input_tokens >= 0),
  output_tokens bigint not null default 0 check (output_tokens >= 0),
  cache_read_tokens bigint not null default 0 check (cache_read_tokens >= 0),
  cache_creation_tokens bigint not null default 0 check (cache_creation_tokens >= 0),
  cache_creation_5m_tokens bigint not null default 0 check (cache_creation_5m_tokens >= 0),
  cache_creation_1h_tokens bigint not null default 0 check (cache_creation_1h_tokens >= 0),
  web_search_requests int not null default 0 check (web_search_requests >= 0),
  web_fetch_requests int not null default 0 check (web_fetch_requests >= 0),
  service_tier text
);

create index session_usage_by_time on session_usage (called_at);
create index session_usage_by_session on session_usage (session_id, called_at);
create index session_usage_by_root on session_usage (agent_root, called_at);
create index session_usage_by_model on session_usage (model);
