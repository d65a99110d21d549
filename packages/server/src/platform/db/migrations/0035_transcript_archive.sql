-- The sessions of the transcript archive, each with the version in which it is stored.
create table archive_sessions (
  session_id bigint primary key references sessions (id) on delete cascade,
  version text not null,
  stored_at timestamptz not null default now()
);

-- The files of the archive. Entries never change, so a file is stored as what comes before them and how many of them it has.
-- A text that callers may change is copied.
create table archive_files (
  id bigint generated always as identity primary key,
  session_id bigint not null references archive_sessions (session_id) on delete cascade,
  name text not null,
  head text not null,
  thread text,
  entry_count int not null default 0 check (entry_count >= 0),
  text text check (text is null or thread is null),
  size_bytes bigint not null check (size_bytes >= 0),
  sha256 text not null,
  stored_at timestamptz not null default now(),
  -- When a newer file took its place. A download that has begun still reads it.
  superseded_at timestamptz
);

create unique index archive_files_name_key on archive_files (session_id, name) where superseded_at is null;
create index archive_files_superseded on archive_files (superseded_at) where superseded_at is not null;

-- The last run that stored changed sessions.
create table archive_state (
  is_only_row boolean primary key default true check (is_only_row),
  generated_at timestamptz not null default now(),
  session_count int not null,
  file_size_bytes bigint not null,
  deferred_count int not null,
  incomplete_reason text
);
