-- The levels of both books of a pair, for levels= of REST. Ten levels in each price update made a
-- flush of 500 updates 9 % (CPU of the backend) to 13 % slower, at two outcomes and 1 KB an update
-- (PostgreSQL 17, 2 busy cores, 2026-11-27). So ingest samples the changed books once per step of
-- the snapshot.

create table price.book_levels (
  pair_id uuid not null,
  step timestamptz not null,
  read_a timestamptz,
  read_b timestamptz,
  books jsonb not null check (jsonb_typeof(books) = 'array'),
  primary key (pair_id, step)
);
comment on table price.book_levels is
  'The books of a pair at the start of a step of the snapshot, as far as they changed since the '
  'sample before. Kept from the newest sample that REST may serve.';
comment on column price.book_levels.books is
  '[{a, b}] in outcome order, each {asks, bids} of [price in 1e-6 USD, size in 0.01 contract], '
  'best first; null for an invalid book.';
comment on column price.book_levels.read_a is
  'When the valid books of venue_a were last read; read_b those of venue_b.';
alter table price.book_levels enable row level security;
alter table price.book_levels force row level security;

create function price.store_levels(p_tokens jsonb, p_samples jsonb) returns integer
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_shards smallint := (select s.shards from price.settings s);
  v_served timestamptz := (select t.step from price.snapshot_state t);
  v_pairs uuid[];
begin
  with given as (
    select distinct on (g.pair, g.step)
           g.pair as pair_id, to_timestamp(g.step / 1000.0) as step, to_timestamp(g.read_a / 1000.0) as read_a,
           to_timestamp(g.read_b / 1000.0) as read_b, g.books
    from jsonb_to_recordset(p_samples) as g (pair uuid, step bigint, read_a bigint, read_b bigint, books jsonb)
    join catalog.pairs p on p.pair_id = g.pair
    -- Without a lock of the lease: a former holder may write the same step again, and a sample that
    -- does not match the price update is not served.
    join venue.leases l on l.name = 'books:' || (p.shard_key % v_shards)
    join jsonb_each_text(p_tokens) t on t.key = l.name and t.value::bigint = l.token
    order by g.pair, g.step
  ), written as (
    insert into price.book_levels as b (pair_id, step, read_a, read_b, books)
    select g.pair_id, g.step, g.read_a, g.read_b, g.books
    from given g
    on conflict (pair_id, step) do update
    set read_a = excluded.read_a,
        read_b = excluded.read_b,
        books = excluded.books
    returning b.pair_id
  )
  select array_agg(w.pair_id) into v_pairs
  from written w;
  delete from price.book_levels b
  where b.pair_id = any (v_pairs)
    and b.step < (
      select max(o.step) from price.book_levels o where o.pair_id = b.pair_id and o.step <= v_served
    );
  return coalesce(cardinality(v_pairs), 0);
end
$$;
comment on function price.store_levels(jsonb, jsonb) is
  'Stores samples [{pair, step, read_a, read_b, books}], times in epoch ms, of shards that the '
  'caller holds. p_tokens: {lease: token}. Returns how many.';

create type price.level_sample as (a jsonb, b jsonb, read_a timestamptz, read_b timestamptz);
comment on type price.level_sample is
  'Levels of each venue in outcome order, {asks, bids} of [price, size]; null for a venue whose '
  'sample is missing or does not match the price update.';

create function price.is_best_level(
  p_levels jsonb, p_ask integer, p_size bigint, p_bid integer, p_bid_size bigint
) returns boolean
language sql immutable parallel safe
return (p_levels #>> '{asks,0,0}')::integer is not distinct from p_ask
  and (p_levels #>> '{asks,0,1}')::bigint is not distinct from p_size
  and (p_levels #>> '{bids,0,0}')::integer is not distinct from p_bid
  and (p_levels #>> '{bids,0,1}')::bigint is not distinct from p_bid_size;
comment on function price.is_best_level(jsonb, integer, bigint, integer, bigint) is
  'Whether the best levels of a book have these prices and sizes; null is an empty side.';

create function price.served_levels(p_pair uuid) returns setof price.book_levels
language plpgsql stable
  rows 1
set search_path = ''
as $$
begin
  return query
  select b.*
  from price.book_levels b
  where b.pair_id = p_pair
    and b.step <= (select t.step from price.snapshot_state t)
  order by b.step desc
  limit 1;
end
$$;
comment on function price.served_levels(uuid) is
  'The newest sample of a pair that is not newer than the snapshot.';

create function price.levels_version(p_pair uuid) returns text
language plpgsql stable security definer
set search_path = ''
as $$
begin
  return coalesce(
    (select (extract(epoch from b.step) * 1000)::bigint::text from price.served_levels(p_pair) b),
    '0'
  );
end
$$;
comment on function price.levels_version(uuid) is
  'Identifies the sample that price.levels_of reads; 0 without one.';

create function price.levels_of(p_pair uuid, p_update price.price_update) returns price.level_sample
language plpgsql stable security definer
set search_path = ''
as $$
declare
  v_sample price.level_sample;
begin
  select case when s.fits_a then s.a end, case when s.fits_b then s.b end, b.read_a, b.read_b
  into v_sample.a, v_sample.b, v_sample.read_a, v_sample.read_b
  from price.served_levels(p_pair) b
  cross join lateral (
    select jsonb_agg(e.book -> 'a' order by e.n) as a,
           jsonb_agg(e.book -> 'b' order by e.n) as b,
           count(*) = cardinality(p_update.ask_a) and bool_and(price.is_best_level(
             e.book -> 'a', p_update.ask_a[e.n], p_update.size_a[e.n], p_update.bid_a[e.n], p_update.bid_size_a[e.n]
           )) as fits_a,
           count(*) = cardinality(p_update.ask_b) and bool_and(price.is_best_level(
             e.book -> 'b', p_update.ask_b[e.n], p_update.size_b[e.n], p_update.bid_b[e.n], p_update.bid_size_b[e.n]
           )) as fits_b
    from jsonb_array_elements(b.books) with ordinality as e (book, n)
  ) s;
  return v_sample;
end
$$;
comment on function price.levels_of(uuid, price.price_update) is
  'The newest sample of a pair that REST may serve, as far as its best levels are those of the '
  'price update.';

revoke all on function
  price.store_levels(jsonb, jsonb),
  price.is_best_level(jsonb, integer, bigint, integer, bigint),
  price.served_levels(uuid),
  price.levels_version(uuid),
  price.levels_of(uuid, price.price_update)
from public;
grant execute on function price.store_levels(jsonb, jsonb) to parallax_ingest;
grant execute on function price.levels_version(uuid), price.levels_of(uuid, price.price_update) to parallax_api;
