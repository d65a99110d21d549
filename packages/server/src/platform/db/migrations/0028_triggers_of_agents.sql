-- The session whose agent made a trigger. The sessions that the trigger spawns are its children, and it is deleted with it.
alter table triggers add column made_by_session_id bigint references sessions (id) on delete cascade;

create index triggers_by_maker on triggers (made_by_session_id) where made_by_session_id is not null;
