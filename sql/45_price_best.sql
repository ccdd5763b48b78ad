-- The best quote of each outcome across both venues after taker fees, for include=best and for
-- channel best:all. Computed when it is read: in a step it would take two thirds of the time of all
-- else.

-- The functions of this file are expressions that the planner inlines. As SQL functions with a
-- search_path of their own they are ten times as slow.
create function price.fee_share(p_fee jsonb) returns numeric
language sql immutable parallel safe
return case
  when p_fee ->> 'model' = 'quadratic' and p_fee ->> 'multiplier' ~ '^\d{1,15}(\.\d{1,12})?$'
    then (p_fee ->> 'multiplier')::numeric * 0.07
  when p_fee ->> 'model' = 'rate' and p_fee ->> 'rate' ~ '^\d{1,15}(\.\d{1,12})?$'
    then (p_fee ->> 'rate')::numeric
end;
comment on function price.fee_share(jsonb) is
  'The share of p(1-p) that a fee schedule charges a taker; null when the schedule is unknown or '
  'cannot be parsed. A waiver does not count.';

-- The same as feePerContract of functions/ingest/engine/fees.ts, which the engine needs for each
-- change of a book. tests/price/best.db.test.ts compares them. numeric, because a venue may send a
-- share that makes a fee larger than an integer.
create function price.taker_fee(p_venue text, p_share numeric, p_price integer) returns numeric
language sql immutable parallel safe
return case p_venue
  when 'venue_a' then ceil(p_share * p_price * (1000000 - p_price) * 0.00000001) * 100
  else ceil(p_share * p_price * (1000000 - p_price) * 0.0000001) * 10
end;
comment on function price.taker_fee(text, numeric, integer) is
  'The fee of one contract at a price, in 1e-6 USD: the share of p(1-p), rounded up to 1e-4 USD '
  'on venue_a and to 1e-5 USD on venue_b.';

create function price.quote_json(
  p_venue text, p_contract text, p_side text, p_price integer, p_fee numeric, p_sign integer, p_size bigint
) returns text
language sql immutable parallel safe
return '{"venue":"' || p_venue || '","contract":' || coalesce(to_json(p_contract)::text, 'null')
  || ',"side":' || coalesce('"' || p_side || '"', 'null')
  || ',"price":' || trim_scale(p_price / 1000000.0) || ',"fee":' || trim_scale(p_fee / 1000000.0)
  || ',"net":' || trim_scale((p_price + p_sign * p_fee) / 1000000.0)
  || ',"size":' || coalesce(trim_scale(p_size / 100.0)::text, 'null') || '}';
comment on function price.quote_json(text, text, text, integer, numeric, integer, bigint) is
  'A best quote. p_sign: 1 to buy, where the fee is added; -1 to sell.';

create function price.best_quotes_of(p_updates price.price_update[])
returns table (for_pair uuid, quotes text, edge_pct numeric)
language plpgsql stable
set search_path = ''
as $$
begin
  return query
  with legs as materialized (
    select o.pair_id, o.ordinal, o.key, o.contract_a, coalesce(o.side_a, 'yes') as side_a, o.contract_b,
           u.ask_a[o.n] as ask_a, u.ask_b[o.n] as ask_b, u.bid_a[o.n] as bid_a, u.bid_b[o.n] as bid_b,
           u.size_a[o.n] as size_a, u.size_b[o.n] as size_b, u.bid_size_a[o.n] as bid_size_a,
           u.bid_size_b[o.n] as bid_size_b, f.share_a, f.share_b
    from unnest(p_updates) u
    cross join lateral (
      select c.*, row_number() over (order by c.ordinal) as n, count(*) over () as outcomes
      from catalog.outcomes c
      where c.pair_id = u.pair_id
      offset 0
    ) o
    left join venue.markets a on a.venue = 'venue_a' and a.market_id = o.market_a
    left join venue.markets b on b.venue = 'venue_b' and b.market_id = o.market_b
    cross join lateral (select price.fee_share(a.fee) as share_a, price.fee_share(b.fee) as share_b offset 0) f
    where u.void_reason is null
      -- An update with another number of outcomes was read before the pair changed.
      and cardinality(u.ask_a) = o.outcomes
      and cardinality(u.ask_b) = o.outcomes
  ), charged as (
    select l.*,
           price.taker_fee('venue_a', l.share_a, l.ask_a) as ask_fee_a,
           price.taker_fee('venue_b', l.share_b, l.ask_b) as ask_fee_b,
           price.taker_fee('venue_a', l.share_a, l.bid_a) as bid_fee_a,
           price.taker_fee('venue_b', l.share_b, l.bid_b) as bid_fee_b
    from legs l
  ), chosen as (
    -- A row compares its net price first, then its size. Without a price or a fee it is null.
    select c.*,
           c.ask_fee_a is not null and (
             c.ask_fee_b is null
             or (c.ask_a + c.ask_fee_a, -coalesce(c.size_a, -1)) <= (c.ask_b + c.ask_fee_b, -coalesce(c.size_b, -1))
           ) as buys_a,
           c.bid_fee_a is not null and (
             c.bid_fee_b is null
             or (c.bid_fee_a - c.bid_a, -coalesce(c.bid_size_a, -1))
               <= (c.bid_fee_b - c.bid_b, -coalesce(c.bid_size_b, -1))
           ) as sells_a
    from charged c
  )
  select c.pair_id,
         '[' || string_agg(
           '{"outcome":' || to_json(c.key)
             || ',"buy":' || case
               when c.buys_a
                 then price.quote_json('venue_a', c.contract_a, c.side_a, c.ask_a, c.ask_fee_a, 1, c.size_a)
               when c.ask_fee_b is not null
                 then price.quote_json('venue_b', c.contract_b, null, c.ask_b, c.ask_fee_b, 1, c.size_b)
               else 'null'
             end
             || ',"sell":' || case
               when c.sells_a
                 then price.quote_json('venue_a', c.contract_a, c.side_a, c.bid_a, c.bid_fee_a, -1, c.bid_size_a)
               when c.bid_fee_b is not null
                 then price.quote_json('venue_b', c.contract_b, null, c.bid_b, c.bid_fee_b, -1, c.bid_size_b)
               else 'null'
             end
             || '}',
           ',' order by c.ordinal
         ) || ']',
         case
           when bool_and(c.buys_a or c.ask_fee_b is not null)
             -- Else one contract of each outcome may return another amount than $1. In place: a
             -- function took a third of the time.
             and not exists (
               select
               from catalog.pair_risks k
               where k.pair_id = c.pair_id
                 and k.event in ('several_can_pay', 'partition_gap')
             )
             then 100 - sum(case when c.buys_a then c.ask_a + c.ask_fee_a else c.ask_b + c.ask_fee_b end) / 10000.0
         end
  from chosen c
  group by c.pair_id;
end
$$;
comment on function price.best_quotes_of(price.price_update[]) is
  'For each outcome the cheapest ask and the dearest bid after the taker fee of one contract, as '
  'JSON, without a price or fee that is unknown. edge_pct: what one of each cheapest ask leaves.';

create function price.best_quotes(p_pairs uuid[]) returns table (for_pair uuid, quotes text, edge_pct numeric)
language sql stable security definer
set search_path = ''
as $$
  select q.*
  from price.best_quotes_of(array(
    select s.price_update
    from unnest(p_pairs) i
    join price.snapshot s on s.pair_id = i
    -- The prices of a row are in the order of the outcomes that it was rendered with. Since then
    -- its identity has not changed.
    join catalog.pairs p on p.pair_id = i and p.change_no = s.change_no
    where s.priced
  )) q
$$;
comment on function price.best_quotes(uuid[]) is
  'price.best_quotes_of the prices that the snapshot serves of these pairs.';

create function price.best_fields(p_quotes text, p_edge_pct numeric) returns text
language sql immutable parallel safe
return ',"best":' || coalesce(p_quotes, '[]') || ',"best_edge_pct":' || coalesce(trim_scale(p_edge_pct)::text, 'null');
comment on function price.best_fields(text, numeric) is
  'The fields of a Market with include=best, from a row of price.best_quotes or nulls.';

grant execute on function price.best_quotes(uuid[]), price.best_fields(text, numeric) to parallax_api;
revoke all on function price.best_quotes_of(price.price_update[]), price.best_quotes(uuid[]) from public;
