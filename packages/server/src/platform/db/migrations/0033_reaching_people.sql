-- How often in a row the push service of a browser has refused a push, and since when.
alter table push_subscriptions add column refusals int not null default 0;
alter table push_subscriptions add column refused_since timestamptz;

-- Sessions that people wrote to before messages were recorded, which began with version 32 of the schema.
create table unrecorded_sessions (
  session_id bigint not null references sessions (id) on delete cascade,
  channel text not null check (channel in ('web_ui', 'chat')),
  primary key (session_id, channel)
);

insert into unrecorded_sessions (session_id, channel)
select sessions.id, 'chat'
from sessions, schema_migrations
where schema_migrations.version = 32
  and (
    (sessions.genesis = 'chat' and sessions.created_at < schema_migrations.applied_at)
    or exists (
      select
      from trigger_fires
      where trigger_fires.session_id = sessions.id
        and trigger_fires.fired_by = 'chat'
        and trigger_fires.fired_at < schema_migrations.applied_at
    )
  );
