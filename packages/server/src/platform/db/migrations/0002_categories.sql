create table categories (
  id bigint generated always as identity primary key,
  name text not null check (name <> '' and char_length(name) <= 100),
  description text check (char_length(description) <= 1000),
  position int not null,
  is_frozen boolean not null default false,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);

create unique index categories_name_key on categories (lower(name));
create index categories_order on categories (position, created_at, id);
