-- The best quote of each outcome across both venues after taker fees, for include=best. A step
-- renders it with the row: computed when it is read it would take longer than the page.

create function price.fee_share(p_fee jsonb) returns numeric
language sql immutable parallel safe
set search_path = ''
as $$
  select case
    when t.digits ~ '^\d{1,15}(\.\d{1,12})?$'
      and t.factor * t.digits::numeric * power(10::numeric, scale(trim_scale(t.digits::numeric)))
      <= 9007199254740991
      then t.factor * t.digits::numeric / case when t.factor = 7 then 100 else 1 end
  end
  from (
    select case p_fee ->> 'model' when 'quadratic' then p_fee ->> 'multiplier' else p_fee ->> 'rate' end as digits,
           case p_fee ->> 'model' when 'quadratic' then 7 else 1 end as factor
  ) t
$$;
comment on function price.fee_share(jsonb) is
  'The share of p(1-p) that a fee schedule charges a taker; null when the schedule is unknown or '
  'cannot be parsed. A waiver does not count.';

-- The same as feePerContract of functions/ingest/engine/fees.ts, which the engine needs for each
-- change of a book. tests/price/best.test.ts compares them. numeric, because a venue may send a
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

create function price.best_quotes(p_pair_id uuid, p_update price.price_update) returns text
language plpgsql stable
set search_path = ''
as $$
begin
  return (
    select '[' || string_agg(
      '{"outcome":' || to_json(o.key) || ',"buy":' || coalesce(q.buy, 'null') || ',"sell":' || coalesce(q.sell, 'null')
        || '}',
      ',' order by o.ordinal
    ) || ']'
    from (
      select c.*, row_number() over (order by c.ordinal) as n
      from catalog.outcomes c
      where c.pair_id = p_pair_id
    ) o
    left join venue.markets a on a.venue = 'venue_a' and a.market_id = o.market_a
    left join venue.markets b on b.venue = 'venue_b' and b.market_id = o.market_b
    cross join lateral (
      -- The price and the size of each venue, at the ask and at the bid.
      select max(s.json) filter (where s.deal = 'buy' and s.place = 1) as buy,
             max(s.json) filter (where s.deal = 'sell' and s.place = 1) as sell
      from (
        select v.deal, row_to_json(x)::text as json,
               row_number() over (
                 partition by v.deal order by v.sign * f.net, v.size desc nulls last, v.venue
               ) as place
        from (
          values
            ('buy', 1, 'venue_a', o.contract_a, coalesce(o.side_a, 'yes'), price.fee_share(a.fee),
              p_update.ask_a[o.n], p_update.size_a[o.n]),
            ('buy', 1, 'venue_b', o.contract_b, null, price.fee_share(b.fee),
              p_update.ask_b[o.n], p_update.size_b[o.n]),
            ('sell', -1, 'venue_a', o.contract_a, coalesce(o.side_a, 'yes'), price.fee_share(a.fee),
              p_update.bid_a[o.n], p_update.bid_size_a[o.n]),
            ('sell', -1, 'venue_b', o.contract_b, null, price.fee_share(b.fee),
              p_update.bid_b[o.n], p_update.bid_size_b[o.n])
        ) as v (deal, sign, venue, contract, side, share, price, size)
        cross join lateral (select price.taker_fee(v.venue, v.share, v.price) as fee) t
        cross join lateral (select v.price + v.sign * t.fee as net) f
        cross join lateral (
          select v.venue, v.contract, v.side, trim_scale(v.price / 1000000.0) as price,
                 trim_scale(t.fee / 1000000.0) as fee, trim_scale(f.net / 1000000.0) as net,
                 trim_scale(v.size / 100.0) as size
        ) x
        where f.net is not null
      ) s
    ) q
  );
end
$$;
comment on function price.best_quotes(uuid, price.price_update) is
  'For each outcome the cheapest ask and the dearest bid after the taker fee of one contract, as '
  'JSON. A venue without a price or with an unknown fee is left out.';

revoke all on function price.best_quotes(uuid, price.price_update) from public;
