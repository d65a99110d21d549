-- Who wrote a line: the service, and then it stays as it is, or a caller. All there are by now are the service's.
alter table session_logs add column origin text not null default 'service' check (origin in ('service', 'caller'));
alter table session_logs alter column origin drop default;

-- Subagents of a session. One whose transcript a runtime keeps has a thread: its entries are among those of the session and
-- are stored there alone. The text of any other is what callers sent, in pieces that are only ever added, so that a text
-- that grows is not written anew each time.
create table subagent_transcripts (
  id bigint generated always as identity primary key,
  session_id bigint not null references sessions (id) on delete cascade,
  agent_id text not null check (agent_id <> ''),
  thread text,
  tool_use_id text,
  filename text,
  message_count bigint not null default 0 check (message_count >= 0),
  subagent_type text,
  description text,
  status text check (status in ('running', 'completed', 'failed')),
  duration_ms bigint check (duration_ms >= 0),
  total_tokens bigint check (total_tokens >= 0),
  tool_use_count bigint check (tool_use_count >= 0),
  -- By these a text is known to go on from the stored one without reading that. Null without a text.
  text_length bigint check (text_length >= 0),
  text_sha256 text,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  constraint subagent_transcripts_agent_key unique (session_id, agent_id),
  constraint subagent_transcripts_thread_key unique (session_id, thread),
  check ((text_length is null) = (text_sha256 is null)),
  check (thread is null or text_length is null)
);

create index subagent_transcripts_listed on subagent_transcripts (session_id, created_at desc, id desc);

create table subagent_transcript_pieces (
  subagent_transcript_id bigint not null references subagent_transcripts (id) on delete cascade,
  sequence int not null check (sequence >= 1),
  text text not null,
  primary key (subagent_transcript_id, sequence)
);
