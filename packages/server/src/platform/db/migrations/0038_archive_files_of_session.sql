-- Superseded files too: deleting or storing a session must not read the files of all others.
create index archive_files_session on archive_files (session_id);
