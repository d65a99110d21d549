-- The top of the Uncategorized section is asked for at every create. An index over all sections cannot answer it: to the
-- planner "is null" fixes no order.
create index sessions_uncategorized_by_card_order on sessions (sort_order) where category_id is null;
