-- The browsers that receive pushes.
create table push_subscriptions (
  id bigint generated always as identity primary key,
  endpoint text not null constraint push_subscriptions_endpoint_key unique check (char_length(endpoint) <= 2048),
  p256dh_key text not null,
  auth_key text not null,
  user_agent text,
  -- The key of ours that the browser subscribed with. Its push service refuses a push under another one.
  server_key text not null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
