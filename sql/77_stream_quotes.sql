-- Quotes of each leg as its book changes: channel quotes:all. The log has each change once, in the
-- order of its reader. When a leg has no live reader, an empty quote follows.

create view stream.quotable_legs
with (security_invoker = true)
as
select p.pair_id, 'venue_a' as venue, o.contract_a as contract_id, coalesce(o.side_a, 'yes') as side
from catalog.pairs p
join catalog.outcomes o on o.pair_id = p.pair_id and o.contract_a is not null
where p.withdrawn_at is null
  and p.status in ('open', 'live', 'resolving')
union all
select p.pair_id, 'venue_b', o.contract_b, 'token'
from catalog.pairs p
join catalog.outcomes o on o.pair_id = p.pair_id and o.contract_b is not null
where p.withdrawn_at is null
  and p.status in ('open', 'live', 'resolving')
union all
select p.pair_id, 'venue_a', l.contract_a, 'yes'
from catalog.pairs p
join catalog.strikes l on l.pair_id = p.pair_id
where p.withdrawn_at is null
  and p.status in ('open', 'live', 'resolving');
comment on view stream.quotable_legs is
  'What may be quoted now: each side of a contract of a market or of its strikes, some twice. A '
  'contract of venue_b has side token.';

-- No index on a column that changes, and half-empty pages: an update stays in its page.
create table stream.published_quotes (
  pair_id uuid not null,
  venue venue.code not null,
  contract_id text not null,
  side text not null check (side in ('yes', 'no', 'token')),
  bid integer,
  ask integer,
  bid_size bigint,
  ask_size bigint,
  venue_time timestamptz,
  read_at timestamptz,
  reader text not null,
  quote_no bigint not null,
  published_at timestamptz not null default clock_timestamp(),
  primary key (pair_id, venue, contract_id, side)
) with (fillfactor = 50);
comment on table stream.published_quotes is
  'The last quote of each leg: prices in 1e-6 USD, sizes in 0.01 contract, nulls when its book is '
  'empty.';
comment on column stream.published_quotes.reader is
  'Lease and token of the reader. Another token is another reader, whose quote is newer, '
  'regardless of its time and quote_no.';
comment on column stream.published_quotes.published_at is
  'Real time at which it was last published; -infinity when the leg was always empty.';
comment on column stream.published_quotes.quote_no is
  'Number of the quote at its reader. An abandoned flush that arrives after a later one changes '
  'nothing.';
alter table stream.published_quotes enable row level security;
alter table stream.published_quotes force row level security;

create type stream.leg_quote as (
  pair_id uuid,
  venue text,
  contract_id text,
  side text,
  bid integer,
  ask integer,
  bid_size bigint,
  ask_size bigint,
  venue_time timestamptz,
  read_at timestamptz,
  void_reason text,
  repeated boolean
);
comment on type stream.leg_quote is
  'A quote before it is rendered, in the units of stream.published_quotes. void_reason: why '
  'nothing is quoted; repeated: unchanged since it was last published.';

create function stream.render_quotes(p_quotes stream.leg_quote[]) returns setof stream.frame
language sql stable
set search_path = ''
-- Times and numbers are formatted in place, as in stream.price_frames. The frames have no pair_id,
-- because the sample has no quotes.
as $$
  select 'quotes:all',
         null::uuid,
         '{"type":"quote","venue":"' || q.venue
           || '","contract_id":' || to_json(q.contract_id)::text
           || ',"side":' || case q.side when 'token' then 'null' else '"' || q.side || '"' end
           || ',"bid":' || coalesce(trim_scale(q.bid * 0.000001)::text, 'null')
           || ',"ask":' || coalesce(trim_scale(q.ask * 0.000001)::text, 'null')
           || ',"bid_size":' || coalesce(trim_scale(q.bid_size * 0.01)::text, 'null')
           || ',"ask_size":' || coalesce(trim_scale(q.ask_size * 0.01)::text, 'null')
           || ',"venue_time":'
           || coalesce(to_char(q.venue_time at time zone 'UTC', '"\""YYYY-MM-DD"T"HH24:MI:SS.MS"Z\""'), 'null')
           || ',"read_at":'
           || coalesce(to_char(q.read_at at time zone 'UTC', '"\""YYYY-MM-DD"T"HH24:MI:SS.MS"Z\""'), 'null')
           || ',"market_id":"mkt_' || q.pair_id || '"'
           || case when q.void_reason is null then '' else ',"void":' || to_json(q.void_reason)::text end
           || case when q.repeated then ',"repeated":true' else '' end
           || '}'
  from unnest(p_quotes) with ordinality as q (
    pair_id, venue, contract_id, side, bid, ask, bid_size, ask_size, venue_time, read_at, void_reason, repeated, place
  )
  order by q.place
$$;
comment on function stream.render_quotes(stream.leg_quote[]) is
  'Quote frames, in the given order. void and repeated are fields only when they are set.';

create function stream.quote_frames(p_quotes jsonb, p_readers jsonb) returns setof stream.frame
language plpgsql volatile
set search_path = ''
as $$
declare
  v_shards smallint := (select s.shards from price.settings s);
  v_repeat_before timestamptz := (select clock_timestamp() - s.quote_repeat_interval from stream.settings s);
  v_due stream.leg_quote[];
begin
  with given as (
    select distinct on (q.pair, q.venue, q.contract, q.side)
           q.pair as pair_id, q.venue, q.contract as contract_id, coalesce(q.side, 'token') as side, q.bid, q.ask,
           q.bid_size, q.ask_size, to_timestamp(q.venue_time / 1000) as venue_time,
           to_timestamp(q.read_at / 1000) as read_at, q.void, q.no,
           r.key || '#' || r.value as reader
    from jsonb_to_recordset(p_quotes) as q (
      pair uuid, venue text, contract text, side text, bid integer, ask integer, bid_size bigint, ask_size bigint,
      venue_time numeric, read_at numeric, void text, no bigint
    )
    join catalog.pairs p on p.pair_id = q.pair
    -- Fenced like price updates: drops the quotes of shards whose lease the caller does not hold.
    join jsonb_each_text(p_readers) r on r.key = 'books:' || (p.shard_key % v_shards)
    order by q.pair, q.venue, q.contract, q.side, q.no desc
  ), newer as materialized (
    select g.*, c.changed, t.published_at as published_before,
           -- An empty quote is published only for a leg that is in the table.
           case
             when c.changed then t.pair_id is not null or c.has_price
             else c.has_price and t.published_at not between v_repeat_before and clock_timestamp()
           end as due
    from given g
    left join stream.published_quotes t
      on t.pair_id = g.pair_id and t.venue = g.venue and t.contract_id = g.contract_id and t.side = g.side
    cross join lateral (
      select t.pair_id is null
               or (t.bid, t.ask, t.bid_size, t.ask_size)
               is distinct from (g.bid, g.ask, g.bid_size, g.ask_size) as changed,
             coalesce(g.bid, g.ask) is not null as has_price
    ) c
    -- The list of a reader may be half a second old, so it may still quote a closed market or a
    -- removed leg. Looked up one by one (limit prevents a join): a join with all legs took 14 ms
    -- for 50 quotes instead of 1 ms.
    cross join lateral (
      select
      from stream.quotable_legs l
      where l.pair_id = g.pair_id
        and l.venue = g.venue
        and l.contract_id = g.contract_id
        and l.side = g.side
      limit 1
    ) leg
    where t.reader is distinct from g.reader
      or t.quote_no < g.no
  ), written as (
    -- Unchanged quotes too: their number rejects an older quote that arrives late.
    insert into stream.published_quotes as t (
      pair_id, venue, contract_id, side, bid, ask, bid_size, ask_size, venue_time, read_at, reader, quote_no,
      published_at
    )
    select n.pair_id, n.venue, n.contract_id, n.side, n.bid, n.ask, n.bid_size, n.ask_size, n.venue_time, n.read_at,
           n.reader, n.no,
           case when n.due then clock_timestamp() else coalesce(n.published_before, '-infinity') end
    from newer n
    on conflict (pair_id, venue, contract_id, side) do update
    set bid = excluded.bid,
        ask = excluded.ask,
        bid_size = excluded.bid_size,
        ask_size = excluded.ask_size,
        venue_time = excluded.venue_time,
        read_at = excluded.read_at,
        reader = excluded.reader,
        quote_no = excluded.quote_no,
        published_at = excluded.published_at
  )
  select array_agg(
    row(
      n.pair_id, n.venue, n.contract_id, n.side, n.bid, n.ask, n.bid_size, n.ask_size, n.venue_time, n.read_at, n.void,
      not n.changed
    )::stream.leg_quote
    order by n.no
  )
  into v_due
  from newer n
  where n.due;
  return query select * from stream.render_quotes(v_due);
end
$$;
comment on function stream.quote_frames(jsonb, jsonb) is
  'Part of stream.publish_changes: quotes that differ from the published ones, or repeat one that '
  'is quote_repeat_interval old. p_readers: {lease: token} of the held leases.';

revoke all on function
  stream.render_quotes(stream.leg_quote[]),
  stream.quote_frames(jsonb, jsonb)
from public;
