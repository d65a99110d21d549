-- The order of the cards of a section, lowest first; ties go by age, newest first. Values between two others are always to
-- be had, so that a move is one row.
alter table sessions add column sort_order double precision not null default 0;

create index sessions_by_card_order on sessions (category_id, sort_order, created_at desc, id desc);

-- A card that comes into a section goes on top of it, however it got there.
create function put_card_on_top() returns trigger language plpgsql as $$
begin
  -- Two queries, because an index answers each and not one for both.
  if new.category_id is null then
    new.sort_order := (select coalesce(min(sort_order), 0) - 1 from sessions where category_id is null);
  else
    new.sort_order := (select coalesce(min(sort_order), 0) - 1 from sessions where category_id = new.category_id);
  end if;
  return new;
end
$$;

create trigger sessions_card_arrives before insert on sessions
  for each row execute function put_card_on_top();
create trigger sessions_card_moves before update of category_id on sessions
  for each row when (old.category_id is distinct from new.category_id) execute function put_card_on_top();
