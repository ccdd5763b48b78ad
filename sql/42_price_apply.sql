-- How prices reach the tables: price.apply_flush writes a flush, fenced by leases. This file also
-- has the partitions of price.updates, the voids of shards without a holder, and the watch list.

create function price.create_partition(p_table text, p_name text, p_from timestamptz, p_until timestamptz) returns void
language plpgsql volatile
set search_path = ''
as $$
begin
  -- Not to_regclass: a session that waited for the lock still caches that the table is missing.
  if not exists (
    select from pg_catalog.pg_class c where c.relnamespace = 'price'::regnamespace and c.relname = p_name
  ) then
    execute format(
      'create table price.%I partition of price.%I for values from (%L) to (%L)', p_name, p_table, p_from, p_until
    );
    execute format('alter table price.%I enable row level security', p_name);
    execute format('alter table price.%I force row level security', p_name);
  end if;
end
$$;
comment on function price.create_partition(text, text, timestamptz, timestamptz) is
  'Creates a partition unless it exists. The caller holds the lock that keeps two sessions from '
  'creating it at once.';

create function price.list_partitions_before(p_table text, p_name text) returns setof text
language sql stable
set search_path = ''
as $$
  select c.relname::text
  from pg_catalog.pg_inherits i
  join pg_catalog.pg_class c on c.oid = i.inhrelid
  where i.inhparent = format('price.%I', p_table)::regclass
    and c.relname < p_name
  order by c.relname
$$;
comment on function price.list_partitions_before(text, text) is
  'The partitions of a table whose names sort before p_name, oldest first. A name ends in the '
  'time of its partition.';

create function price.ensure_partitions(p_times timestamptz[]) returns void
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_from timestamptz;
  v_name text;
begin
  for v_from in
    select distinct date_trunc('hour', t.at, 'UTC')
    from unnest(p_times) as t(at)
    order by 1
  loop
    v_name := 'updates_' || to_char(v_from at time zone 'UTC', 'YYYYMMDDHH24');
    continue when to_regclass('price.' || v_name) is not null;
    perform pg_advisory_xact_lock(hashtextextended('price.updates', 0));
    perform price.create_partition('updates', v_name, v_from, v_from + interval '1 hour');
  end loop;
end
$$;
comment on function price.ensure_partitions(timestamptz[]) is
  'Creates the missing partitions of price.updates for these times and no other, because market '
  'time may be any hour of a replay.';

create function price.drop_old_partitions() returns integer
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_name text;
  v_dropped integer := 0;
  v_oldest text := 'updates_' || to_char(
    (clock.now() - (select s.keep_updates from price.settings s)) at time zone 'UTC', 'YYYYMMDDHH24'
  );
begin
  for v_name in select price.list_partitions_before('updates', v_oldest) loop
    execute format('drop table price.%I', v_name);
    v_dropped := v_dropped + 1;
  end loop;
  return v_dropped;
end
$$;
comment on function price.drop_old_partitions() is
  'Retention: drops hours older than price.settings.keep_updates. Served prices stay, because '
  'they are in price.latest_updates and price.snapshot.';

create function price.record_late_updates(p_put price.price_update[]) returns void
language plpgsql volatile
set search_path = ''
as $$
declare
  -- The newest step that may be made before this transaction commits. Ingest ends a query after
  -- 15 s (functions/ingest/database.ts).
  v_step timestamptz := price.step_at(clock.to_market_time(clock_timestamp() + interval '15 seconds'));
begin
  insert into price.late_updates (pair_id, update_no)
  select f.pair_id, f.update_no
  from unnest(p_put) f
  where f.priced_at <= v_step;
end
$$;
comment on function price.record_late_updates(price.price_update[]) is
  'Part of price.apply_flush: records updates that may be too late for their step, as after an '
  'outage or with a delay of seconds.';
revoke all on function price.record_late_updates(price.price_update[]) from public;

create function price.read_update(p_payload jsonb) returns price.price_update
language plpgsql stable
set search_path = ''
as $$
declare
  v_update price.price_update := jsonb_populate_record(null::price.price_update, p_payload - array['read_a', 'read_b']);
  v_read_a numeric := (p_payload ->> 'read_a')::numeric;
  v_read_b numeric := (p_payload ->> 'read_b')::numeric;
begin
  v_update.pair_id := p_payload ->> 'pair';
  -- Never before one of its books was read. Ingest already ensures this.
  v_update.priced_at := to_timestamp(greatest((p_payload ->> 'at')::numeric, v_read_a, v_read_b) / 1000);
  v_update.read_a := to_timestamp(v_read_a / 1000);
  v_update.read_b := to_timestamp(v_read_b / 1000);
  v_update.void_reason := p_payload ->> 'void';
  v_update.update_no := null;
  v_update.spread_pts := case
    when v_update.void_reason is null then price.spread_pts(v_update.ask_a, v_update.ask_b)
  end;
  return v_update;
end
$$;
comment on function price.read_update(jsonb) is
  'Parses a price update as ingest sends it (see pipeline.apply_books). Fields that are named '
  'like columns of price.price_update are read as these.';

create function price.void_update(p_last price.price_update, p_at timestamptz, p_void text) returns price.price_update
language sql immutable
set search_path = ''
as $$
  select row(
    p_last.pair_id, p_at, null, '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', null, p_last.read_a, p_last.read_b,
    null, p_void
  )::price.price_update
$$;
comment on function price.void_update(price.price_update, timestamptz, text) is
  'An update without prices that follows p_last, with the reason code.';

create function price.offer_of(p_update price.price_update) returns price.price_update
language plpgsql immutable strict
set search_path = ''
as $$
begin
  p_update.priced_at := null;
  p_update.update_no := null;
  p_update.read_a := null;
  p_update.read_b := null;
  p_update.spread_pts := null;
  return p_update;
end
$$;
comment on function price.offer_of(price.price_update) is
  'The offer of an update: it without times, number and spread. Two updates of a pair are the '
  'same when their offers are equal.';

create function price.store_latest(p_updates price.price_update[]) returns void
language sql volatile
set search_path = ''
as $$
  insert into price.latest_updates as l
  select distinct on (u.pair_id) u.*
  from unnest(p_updates) u
  order by u.pair_id, u.priced_at desc, u.update_no desc
  on conflict (pair_id) do update
  set priced_at = excluded.priced_at,
      update_no = excluded.update_no,
      ask_a = excluded.ask_a,
      ask_b = excluded.ask_b,
      bid_a = excluded.bid_a,
      bid_b = excluded.bid_b,
      size_a = excluded.size_a,
      size_b = excluded.size_b,
      bid_size_a = excluded.bid_size_a,
      bid_size_b = excluded.bid_size_b,
      ladder_a = excluded.ladder_a,
      read_a = excluded.read_a,
      read_b = excluded.read_b,
      spread_pts = excluded.spread_pts,
      void_reason = excluded.void_reason
$$;
comment on function price.store_latest(price.price_update[]) is
  'Stores the newest of these updates of each pair. A test compares its columns with '
  'price.price_update.';
revoke all on function
  price.read_update(jsonb),
  price.void_update(price.price_update, timestamptz, text),
  price.offer_of(price.price_update),
  price.store_latest(price.price_update[])
from public;

create function price.drop_future_updates(p_pairs uuid[]) returns void
language plpgsql volatile
set search_path = ''
as $$
declare
  v_latest timestamptz := clock.horizon();
  v_ahead uuid[] := array(
    select l.pair_id from price.latest_updates l where l.pair_id = any (p_pairs) and l.priced_at > v_latest
  );
begin
  if v_ahead = '{}' then
    return;
  end if;
  delete from price.updates f where f.pair_id = any (v_ahead) and f.priced_at > v_latest;
  delete from price.latest_updates l where l.pair_id = any (v_ahead);
  perform price.store_latest(array(
    select row(u.*)::price.price_update
    from unnest(v_ahead) p (pair_id)
    cross join lateral (
      select f.*
      from price.updates f
      where f.pair_id = p.pair_id
      order by f.priced_at desc, f.update_no desc
      limit 1
    ) u
  ));
end
$$;
comment on function price.drop_future_updates(uuid[]) is
  'After the clock was set back: deletes updates of these pairs that are later than '
  'clock.horizon. They would reject every new one, and be served as new when their time comes.';
revoke all on function price.drop_future_updates(uuid[]) from public;

create function price.apply_flush(
  p_tokens jsonb, p_updates jsonb, out put price.price_update[], out seen jsonb, out held text[]
)
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_held text[] := venue.lock_held_leases(p_tokens);
  v_shards smallint := (select s.shards from price.settings s);
  v_read price.price_update[] := array(
    select price.read_update(f.payload)
    from jsonb_array_elements(p_updates) with ordinality as f (payload, ord)
    order by f.ord
  );
  v_put price.price_update[];
  v_seen jsonb;
begin
  perform price.ensure_partitions(array(select r.priced_at from unnest(v_read) r));
  perform price.drop_future_updates(array(select r.pair_id from unnest(v_read) r));

  with read as (
    select u.ord, u.price, nullif(p_updates -> (u.ord - 1) -> 'opp', 'null') as opp
    from (select r as price, (row_number() over ())::integer as ord from unnest(v_read) r) u
  ), allowed as (
    -- Drops updates of a shard whose lease is not held, and updates older than the stored one.
    select r.ord, r.price, r.opp, case when l.pair_id is not null then row(l.*)::price.price_update end as last
    from read r
    join catalog.pairs p on p.pair_id = (r.price).pair_id
    left join price.latest_updates l on l.pair_id = (r.price).pair_id
    where 'books:' || (p.shard_key % v_shards) = any (v_held)
      and (l.pair_id is null or (r.price).priced_at >= l.priced_at)
  ), changed as (
    select c.ord, c.price
    from (
      select a.ord, a.price,
             price.offer_of(a.price) is distinct from lag(price.offer_of(a.price), 1, price.offer_of(a.last)) over (
               partition by (a.price).pair_id order by (a.price).priced_at, a.ord
             ) as moved
      from allowed a
    ) c
    where c.moved
  ), put as (
    insert into price.updates as f overriding user value
    select (c.price).*
    from changed c
    order by c.ord
    returning row(f.*)::price.price_update as written
  )
  select (
           select array_agg(p.written order by (p.written).priced_at, (p.written).update_no)
           from put p
         ),
         (
           select jsonb_agg(
             jsonb_build_object(
               'pair_id', a.pair_id, 'at', a.priced_at, 'opp', a.opp, 'void', a.void_reason, 'read_a', a.read_a,
               'read_b', a.read_b
             )
             order by a.ord
           )
           -- Includes updates without a price change: an opportunity may end, or its deeper levels
           -- change, at equal best prices.
           from (select n.ord, n.opp, (n.price).* from allowed n) a
         )
  into v_put, v_seen;
  perform price.store_latest(v_put);
  perform price.record_late_updates(v_put);
  put := v_put;
  seen := v_seen;
  held := v_held;
end
$$;
comment on function price.apply_flush(jsonb, jsonb) is
  'Writes the price updates of one flush. put: the changed ones; seen: all under a lease, '
  '[{pair_id, at, opp, void, read_a, read_b}]; held: the leases that are held.';
revoke all on function price.apply_flush(jsonb, jsonb) from public;

create view price.unread_pairs
with (security_invoker = true)
as
select p.pair_id, least(w.expires_at, clock_timestamp()) as expires_at
from catalog.pairs p
left join venue.leases w on w.name = 'books:' || (p.shard_key % (select s.shards from price.settings s))
where w.holder is null
  or w.expires_at not between clock_timestamp() and clock_timestamp() + w.ttl;
comment on view price.unread_pairs is
  'Pairs whose shard has no live holder, and when its lease expired: now if it was released, or '
  'if the clock was set back.';

-- REST is two minutes behind. While this runs within that delay, no step serves a price from after
-- the end of a lease.
create function price.void_unread_pairs() returns price.price_update[]
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_due price.price_update[];
  v_voided price.price_update[];
begin
  perform price.drop_future_updates(array(select u.pair_id from price.unread_pairs u));
  -- A shard without a live holder is not read, so its prices are unknown from the end of its lease.
  select array_agg(
    price.void_update(
      row(l.*)::price.price_update,
      greatest(clock.to_market_time(u.expires_at), l.priced_at),
      'lease.expired'
    )
  )
  into v_due
  from price.latest_updates l
  join price.unread_pairs u on u.pair_id = l.pair_id
  where l.void_reason is null;
  perform price.ensure_partitions(array(select d.priced_at from unnest(v_due) d));

  with put as (
    insert into price.updates as f overriding user value
    select d.*
    from unnest(v_due) d
    join price.latest_updates l on l.pair_id = d.pair_id and l.void_reason is null
    returning row(f.*)::price.price_update as written
  )
  select array_agg(p.written order by (p.written).priced_at, (p.written).update_no)
  into v_voided
  from put p;
  perform price.store_latest(v_voided);
  return v_voided;
end
$$;
comment on function price.void_unread_pairs() is
  'Voids the prices of all pairs whose shard has no live holder, from the end of its lease. '
  'Returns the void updates, for pipeline.void_unread_pairs.';

create view price.watched_outcomes
with (security_invoker = true)
as
select 'books:' || (p.shard_key % s.shards) as shard,
       p.pair_id,
       p.status = 'live' as live,
       p.start_time,
       g.all_open as arb,
       o.ordinal, o.key, o.contract_a, o.side_a, o.contract_b,
       a.fee as fee_a,
       b.fee as fee_b,
       ceil(a.min_order * 100)::bigint as min_a,
       ceil(b.min_order * 100)::bigint as min_b,
       b.match_delay_seconds as delay_b,
       a.exchange_index as index_a
from catalog.pairs p
cross join price.settings s
join catalog.match_gates g on g.pair_id = p.pair_id
join catalog.outcomes o on o.pair_id = p.pair_id
left join venue.markets a on a.venue = 'venue_a' and a.market_id = o.market_a
left join venue.markets b on b.venue = 'venue_b' and b.market_id = o.market_b
where p.withdrawn_at is null
  and p.status in ('open', 'live', 'resolving');
comment on view price.watched_outcomes is
  'Each outcome whose books are read, with the inputs of the engine. min_a, min_b in 0.01 '
  'contract; delay_b in seconds (null: not stated); arb: gates 1 to 3 are open.';

-- For 3,000 pairs this takes a third of the time of making the JSON of the list (32 against 96 ms,
-- 2026-11-20, two cores).
create function price.watch_list_version(p_names text[]) returns text
language sql stable security definer
set search_path = ''
as $$
  with listed as materialized (
    select * from price.watched_outcomes w where w.shard = any (p_names)
  )
  select md5(concat(
    (select string_agg(l::text, '|' order by l.pair_id, l.ordinal) from listed l),
    '|',
    (
      select string_agg(r::text, '|' order by r.pair_id, r.ordinal)
      from catalog.strikes r
      where r.pair_id in (select l.pair_id from listed l)
    )
  ))
$$;
comment on function price.watch_list_version(text[]) is
  'Fingerprint of the rows of price.watch_list. A worker compares it twice a second.';

create function price.watch_list(p_names text[]) returns table (
  shard text,
  pair_id uuid,
  outcomes jsonb,
  ladder jsonb,
  index_a smallint,
  arb boolean
)
language sql stable security definer
set search_path = ''
as $$
  select w.shard,
         w.pair_id,
         jsonb_agg(
           jsonb_build_object(
             'key', w.key, 'contract_a', w.contract_a, 'side_a', w.side_a, 'contract_b', w.contract_b,
             'fee_a', w.fee_a, 'fee_b', w.fee_b, 'min_a', w.min_a, 'min_b', w.min_b, 'delay_b', w.delay_b
           )
           order by w.ordinal
         ),
         (
           select jsonb_agg(l.contract_a order by l.ordinal)
           from catalog.strikes l
           where l.pair_id = w.pair_id
         ),
         -- The venue keeps all markets of an event on one index. Where a pair has contracts of
         -- several, its index counts as unknown: its books then depend on every index.
         case
           when count(*) filter (where w.contract_a is not null and w.index_a is null) = 0
             and min(w.index_a) = max(w.index_a)
             and not exists (
               select
               from catalog.strikes l
               left join venue.markets m on m.venue = 'venue_a' and m.market_id = l.market_a
               where l.pair_id = w.pair_id
                 and m.exchange_index is distinct from min(w.index_a)
             )
             then min(w.index_a)
         end,
         w.arb
  from price.watched_outcomes w
  where w.shard = any (p_names)
  group by w.shard, w.pair_id, w.live, w.start_time, w.arb
  order by w.live desc, w.start_time, w.pair_id
$$;
comment on function price.watch_list(text[]) is
  'The pairs of the named shards, live ones first: outcomes and ladder (venue_a tickers or null) '
  'in the order of the arrays of a price update, index_a (the exchange index of venue_a), arb.';

revoke all on function price.void_unread_pairs() from public;
grant execute on function price.watch_list_version(text[]), price.watch_list(text[]) to parallax_ingest;

create function price.set_shard_count(p_shards smallint) returns void
language plpgsql volatile security definer
set search_path = ''
as $$
begin
  update price.settings set shards = p_shards;
  insert into venue.leases (name)
  select 'books:' || g
  from generate_series(0, p_shards - 1) g
  on conflict do nothing;
  delete from venue.leases l
  where l.name like 'books:%'
    and split_part(l.name, ':', 2)::integer >= p_shards;
end
$$;
comment on function price.set_shard_count(smallint) is
  'For operators: sets the number of shards. Holders notice it at their next renewal. A pair '
  'whose shard changed is void until the new holder has read its books.';

insert into venue.leases (name)
values ('listings:venue_a'), ('listings:venue_b')
on conflict do nothing;
select price.set_shard_count(shards) from price.settings;
