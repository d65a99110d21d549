-- The trace (W3C `traceparent`) of the request that brought a prompt, where traces are sent: a prompt may wait in a queue, and run on
-- another host.
alter table turns add column traceparent text;
alter table enqueued_messages add column traceparent text;
