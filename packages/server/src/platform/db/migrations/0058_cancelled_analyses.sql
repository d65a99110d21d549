-- A person can end a batch of analyses before it is done.
alter table outcome_items
  drop constraint outcome_items_state_check,
  add constraint outcome_items_state_check check (state in ('queued', 'running', 'saved', 'failed', 'cancelled'));
