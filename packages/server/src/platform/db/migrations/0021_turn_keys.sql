-- The key with which the agent of a turn speaks to the service, as a digest. It is good while the turn is executing.
alter table turns add column key_digest bytea;

create unique index turns_by_key on turns (key_digest) where state = 'executing';
