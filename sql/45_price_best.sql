-- The best quote of each outcome across both venues after taker fees, for include=best. A step
-- renders it with the row: computed when it is read it would take longer than the page.

-- The functions of this file are expressions that the planner inlines. As SQL functions with a
-- search_path of their own they made a step ten times as slow.
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
