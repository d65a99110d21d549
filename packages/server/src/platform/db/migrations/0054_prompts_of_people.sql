-- Whether a person sent the prompt, and not a trigger, a wake, a heartbeat or an agent. Only these pass a spent budget.
alter table turns add column is_by_person boolean not null default false;
alter table enqueued_messages add column is_by_person boolean not null default false;
