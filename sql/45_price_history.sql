-- Price history: the asks of both venues, minute by minute.
--
-- The sampler writes each minute to price.minute_samples (hourly partitions). When an hour is over,
-- it packs it into one row for each pair in price.hourly_history (daily partitions). Whole
-- partitions are dropped, so no single row is updated or deleted. A row a minute is 190 bytes with
-- its index entries, 810 MB a day for 3,000 pairs of two outcomes. An hour of them packed is 1.4
-- kB, 100 MB a day.

alter table price.settings add column keep_history interval not null default interval '90 days'
  check (keep_history >= interval '1 day');
comment on column price.settings.keep_history is 'How long price history is kept, in whole days.';

create table price.outcome_orders (
  order_no integer generated always as identity primary key,
  pair_id uuid not null,
  since timestamptz not null,
  keys text[] not null,
  names text[] not null,
  until timestamptz,
  unique (pair_id, since)
);
comment on table price.outcome_orders is
  'The outcomes of a pair, in the order of the arrays of its points, from since on. A pair whose '
  'outcomes change gets another row; its older points keep theirs.';
comment on column price.outcome_orders.since is
  'Price updates from here on have this order; -infinity for the first order of a pair.';
comment on column price.outcome_orders.names is
  'The names when the order was first seen. An outcome that still exists is served with its '
  'current name.';
comment on column price.outcome_orders.until is
  'The hour of the newest point of this order; null while it has none.';
create index outcome_orders_with_points on price.outcome_orders (pair_id) where until is not null;

create table price.minute_samples (
  pair_id uuid not null,
  t timestamptz not null,
  order_no integer not null,
  ask_a integer[] not null,
  ask_b integer[] not null,
  bid_a integer[] not null,
  bid_b integer[] not null,
  primary key (pair_id, t)
) partition by range (t);
comment on table price.minute_samples is
  'The price update that was current at each whole minute, for hours that are not packed yet: '
  'asks and bids in 1e-6 USD, in the order of order_no. No row for a minute without prices.';
comment on column price.minute_samples.t is 'Start of the bucket, market time.';
create index minute_samples_by_time on price.minute_samples (t);

create table price.hourly_history (
  pair_id uuid not null,
  hour timestamptz not null,
  order_no integer not null,
  minutes smallint[] not null,
  ask_a integer[] not null,
  ask_b integer[] not null,
  bid_a integer[] not null,
  bid_b integer[] not null,
  primary key (pair_id, hour, order_no)
) partition by range (hour);
comment on table price.hourly_history is
  'An hour of price.minute_samples in one row: the minutes that have a point, and the asks and '
  'bids for each of them.';
comment on column price.hourly_history.ask_a is 'Two dimensions: minute, outcome.';

create table price.sampler_state (
  singleton boolean primary key default true check (singleton),
  sampled_at timestamptz not null default '-infinity',
  change_no bigint not null default 0
);
comment on table price.sampler_state is 'The one row with the progress of the sampler.';
comment on column price.sampler_state.sampled_at is 'The newest minute that was sampled.';
comment on column price.sampler_state.change_no is
  'Increases when points are added or dropped. With a pair and a range it identifies one response.';
insert into price.sampler_state (singleton) values (true) on conflict do nothing;

alter table price.outcome_orders enable row level security;
alter table price.outcome_orders force row level security;
alter table price.minute_samples enable row level security;
alter table price.minute_samples force row level security;
alter table price.hourly_history enable row level security;
alter table price.hourly_history force row level security;
alter table price.sampler_state enable row level security;
alter table price.sampler_state force row level security;
create policy "the api reads outcome orders" on price.outcome_orders for select to parallax_api using (true);
create policy "the api reads samples" on price.minute_samples for select to parallax_api using (true);
create policy "the api reads history" on price.hourly_history for select to parallax_api using (true);
create policy "the api reads the sampler state" on price.sampler_state for select to parallax_api using (true);
grant select on price.outcome_orders, price.minute_samples, price.hourly_history, price.sampler_state to parallax_api;

create function price.pack_hours(p_before timestamptz) returns integer
language plpgsql volatile
set search_path = ''
as $$
declare
  v_hour timestamptz;
  v_name text;
  v_packed integer := 0;
begin
  for v_name in
    select price.list_partitions_before(
      'minute_samples', 'minute_samples_' || to_char(p_before at time zone 'UTC', 'YYYYMMDDHH24')
    )
  loop
    -- Readers lock the tables in this order too. Another order could deadlock with them.
    lock table price.minute_samples in access exclusive mode;
    v_hour := to_timestamp(right(v_name, 10), 'YYYYMMDDHH24')::timestamp at time zone 'UTC';
    perform price.create_partition(
      'hourly_history', 'hourly_history_' || to_char(v_hour at time zone 'UTC', 'YYYYMMDD'),
      date_trunc('day', v_hour, 'UTC'), date_trunc('day', v_hour, 'UTC') + interval '1 day'
    );
    with packed as (
      insert into price.hourly_history (pair_id, hour, order_no, minutes, ask_a, ask_b, bid_a, bid_b)
      select s.pair_id, v_hour, s.order_no,
             array_agg(extract(minute from s.t at time zone 'UTC')::smallint order by s.t),
             array_agg(s.ask_a order by s.t),
             array_agg(s.ask_b order by s.t),
             array_agg(s.bid_a order by s.t),
             array_agg(s.bid_b order by s.t)
      from price.minute_samples s
      where s.t >= v_hour
        and s.t < v_hour + interval '1 hour'
      group by s.pair_id, s.order_no
      on conflict (pair_id, hour, order_no) do nothing
      returning order_no
    )
    update price.outcome_orders o
    set until = v_hour
    from packed p
    where o.order_no = p.order_no;
    execute format('drop table price.%I', v_name);
    v_packed := v_packed + 1;
  end loop;
  return v_packed;
end
$$;
comment on function price.pack_hours(timestamptz) is
  'Part of price.sample_history: packs the hours of samples before p_before and drops their '
  'partitions, in the same transaction. Returns the number of hours.';

revoke all on function price.pack_hours(timestamptz) from public;

create function price.history_point(
  p_t timestamptz, p_ask_a integer, p_ask_b integer, p_bid_a integer, p_bid_b integer, p_bid boolean, p_gap boolean
) returns text
language sql immutable parallel safe
return '{"t":' || (extract(epoch from p_t) * 1000)::bigint
  || ',"venue_a":' || coalesce(trim_scale(p_ask_a / 1000000.0)::text, 'null')
  || ',"venue_b":' || coalesce(trim_scale(p_ask_b / 1000000.0)::text, 'null')
  || case
    when p_bid then ',"venue_a_bid":' || coalesce(trim_scale(p_bid_a / 1000000.0)::text, 'null')
      || ',"venue_b_bid":' || coalesce(trim_scale(p_bid_b / 1000000.0)::text, 'null')
    else ''
  end
  || case
    when p_gap then ',"gap_pts":' || coalesce(trim_scale(abs(p_ask_a - p_ask_b) / 10000.0)::text, 'null')
    else ''
  end
  || '}';
comment on function
  price.history_point(timestamptz, integer, integer, integer, integer, boolean, boolean)
  is
  'A point of a series: asks, and with p_bid and p_gap the bids and the gap of the asks in points.';
grant execute on function price.history_point(timestamptz, integer, integer, integer, integer, boolean, boolean)
to parallax_api;
