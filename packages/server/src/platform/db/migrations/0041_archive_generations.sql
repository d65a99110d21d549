-- A generation is a state of the archive that a download can name and continue: each stored change makes the next one.
-- A run looks for changed sessions from where the last one stopped.
create table archive_progress (
  is_only_row boolean primary key default true check (is_only_row),
  generation bigint not null default 0,
  scanned_through bigint not null default 0
);
insert into archive_progress default values;

-- The archive is made from the transcripts alone. The next run stores it again, with what was not stored before.
truncate archive_sessions, archive_files, archive_state;

-- Both null: still being stored. `until_generation` null: it is part of the newest archive.
alter table archive_files
  add column from_generation bigint,
  add column until_generation bigint,
  add column crc32 bigint,
  -- What the file was made from. As long as that is the same, it is not read again.
  add column version text,
  -- Pairs of a position in the thread and the bytes before it, so that a part is not read from the beginning.
  add column marks bigint[] not null default '{}';

-- Listing and adding up the files of a generation reads this index alone.
create index archive_files_listed on archive_files (session_id, name collate "C")
  include (id, from_generation, until_generation, size_bytes, crc32, sha256, stored_at, superseded_at)
  where from_generation is not null;

-- Texts that callers sent, which they may replace, as they were. `archive_files.text` is no longer used.
create table archive_texts (
  file_id bigint not null references archive_files (id) on delete cascade,
  sequence int not null check (sequence >= 1),
  text text not null,
  primary key (file_id, sequence)
);
