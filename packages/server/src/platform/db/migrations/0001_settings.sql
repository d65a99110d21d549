-- The global settings: one row, one column a setting, so that PostgreSQL keeps their ranges.
create table settings (
  only_row boolean primary key default true check (only_row),
  default_runtime text,
  default_model text,
  spot_gating_enabled boolean not null default true,
  spot_max_concurrent_sessions int not null default 10 check (spot_max_concurrent_sessions between 1 and 100),
  spot_gate_five_hour_threshold_pct int not null default 80 check (spot_gate_five_hour_threshold_pct between 0 and 100),
  spot_gate_weekly_threshold_pct int not null default 80 check (spot_gate_weekly_threshold_pct between 0 and 100),
  genesis_class_overrides jsonb not null default '{}' check (jsonb_typeof(genesis_class_overrides) = 'object'),
  uncategorized_position int not null default 0 check (uncategorized_position >= 0),
  mcp_tool_search_enabled boolean not null default true,
  updated_at timestamptz not null default now()
);

insert into settings default values;
