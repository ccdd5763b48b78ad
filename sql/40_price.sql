-- Schema price: the prices of both order books of each pair over time, and the delayed snapshot
-- that REST serves. Prices are integers of 1e-6 USD, sizes integers of 0.01 contract. Times are
-- market time, exact to the millisecond.

create schema price;
revoke all on schema price from public;
grant usage on schema price to parallax_api, parallax_ingest;

create domain price.usd6 as integer check (value between 0 and 1000000);
comment on domain price.usd6 is 'A price of one contract in 1e-6 USD.';

create table price.settings (
  singleton boolean primary key default true check (singleton),
  rest_delay interval not null default interval '120 seconds' check (rest_delay >= interval '0'),
  step interval not null default interval '5 seconds' check (step > interval '0'),
  shards smallint not null default 4 check (shards between 1 and 64),
  keep_updates interval not null default interval '6 hours'
);
comment on table price.settings is
  'The one settings row: delay and step of the REST snapshot, the number of shards, and how long '
  'price updates are kept.';
insert into price.settings (singleton) values (true) on conflict do nothing;

create type price.price_update as (
  pair_id uuid,
  priced_at timestamptz,
  update_no bigint,
  ask_a integer[],
  ask_b integer[],
  bid_a integer[],
  bid_b integer[],
  size_a bigint[],
  size_b bigint[],
  bid_size_a bigint[],
  bid_size_b bigint[],
  ladder_a integer[],
  read_a timestamptz,
  read_b timestamptz,
  spread_pts numeric(7, 4),
  void_reason text
);
comment on type price.price_update is
  'Asks, bids and sizes of a pair at one time, an element for each outcome in outcome order, null '
  'for an empty side. The tables below copy these columns in this order.';
comment on column price.price_update.priced_at is
  'When ingest read the change from a venue, or when a book became invalid. Never before read_a '
  'and read_b.';
comment on column price.price_update.update_no is 'Order of writing, assigned by price.updates.';
comment on column price.price_update.size_a is 'Size at the ask, in 0.01 contract.';
comment on column price.price_update.bid_size_a is
  'Size at the bid, in 0.01 contract; null when ingest sends no bid sizes.';
comment on column price.price_update.read_a is
  'When the venue_a books of this pair were last read.';
comment on column price.price_update.void_reason is
  'Why no price may be used from here on (feed.silent, book.crossed, price.inverted, '
  'lease.expired …); null for an update with prices.';

-- Code passes price.price_update and never the row type of a table: a row type locks its table, and
-- the session that creates the next partition holds a conflicting lock until it commits.

create table price.updates (
  like price.price_update,
  primary key (pair_id, priced_at, update_no),
  constraint updates_books_read_before check (greatest(read_a, read_b) <= priced_at)
) partition by range (priced_at);
alter table price.updates
  alter column update_no add generated always as identity,
  alter column ask_a set not null,
  alter column ask_b set not null,
  alter column bid_a set not null,
  alter column bid_b set not null,
  alter column size_a set not null,
  alter column size_b set not null;
comment on table price.updates is
  'Append-only: each price update that changes the offer of a pair. Hourly partitions, created '
  'when they are needed.';
create index updates_by_time on price.updates (priced_at);

create table price.latest_updates (
  like price.price_update,
  primary key (pair_id)
) with (fillfactor = 70);
comment on table price.latest_updates is 'The newest price update of each pair.';

-- One row for each update and no key: a step that sees the row sees the update of the same
-- transaction too, and inserts never wait for each other.
create table price.late_updates (
  pair_id uuid not null,
  update_no bigint not null
);
comment on table price.late_updates is
  'Updates that were written so late that their step may have been rendered without them. The '
  'next step renders these pairs again.';

alter table price.settings enable row level security;
alter table price.settings force row level security;
alter table price.updates enable row level security;
alter table price.updates force row level security;
alter table price.latest_updates enable row level security;
alter table price.latest_updates force row level security;
alter table price.late_updates enable row level security;
alter table price.late_updates force row level security;

create policy "the api reads settings" on price.settings for select to parallax_api using (true);
grant select on price.settings to parallax_api;

create function price.spread_pts(p_ask_a integer[], p_ask_b integer[]) returns numeric
language sql immutable parallel safe
set search_path = ''
as $$
  select max(abs(a - b))::numeric / 10000
  from unnest(p_ask_a, p_ask_b) as t(a, b)
$$;
comment on function price.spread_pts(integer[], integer[]) is
  'The largest gap between the two asks of one outcome, in points (hundredths of $1); null when '
  'no outcome has both.';

create function price.potential_arb_pct(p_ask_a integer[], p_ask_b integer[]) returns numeric
language sql immutable parallel safe
set search_path = ''
as $$
  select case
    when count(*) > 0 and bool_and(a is not null and b is not null) and sum(least(a, b)) > 0
      then round((1000000::numeric / sum(least(a, b)) - 1) * 100, 2)
  end
  from unnest(p_ask_a, p_ask_b) as t(a, b)
$$;
comment on function price.potential_arb_pct(integer[], integer[]) is
  '(1 / sum of the cheaper ask of each outcome - 1) * 100; null unless every outcome has both '
  'asks.';
grant execute on function price.spread_pts(integer[], integer[]), price.potential_arb_pct(integer[], integer[])
to parallax_api;
