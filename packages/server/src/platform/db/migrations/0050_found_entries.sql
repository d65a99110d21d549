-- Which entries a chunk holds: a search says where it found the phrase. Null in chunks of older versions.
alter table search_chunks add column first_entry int;
