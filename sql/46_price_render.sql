-- The JSON of a Market. It is rendered when the row changes, never when it is read.

create type price.render_input as (
  pair_id uuid,
  fresh boolean,
  price price.price_update,
  rule_texts boolean,
  changed_at timestamptz
);
comment on type price.render_input is
  'A pair with the price update to render (null: none). fresh: its identity changed, so ids and '
  'settlement are rendered too, with rule texts if rule_texts. changed_at: the step, if it is one.';

create function price.fields_of(p_object text) returns text
language sql immutable parallel safe
-- Both marks are control characters, which JSON never contains. substr and left would count the
-- characters of the text three times: a tenth of the time of a match pass.
return replace(replace(e'\x01' || p_object || e'\x02', e'\x01{', ''), e'}\x02', '');
comment on function price.fields_of(text) is
  'The fields of a JSON object that row_to_json wrote, without its braces. For objects whose '
  'fields come from several rows or are optional.';

create function price.market_fields(p_head text, p_outcomes text, p_tail text, p_ids text, p_settlement text)
returns text
language sql immutable parallel safe
return p_head || ',"outcomes":' || p_outcomes || ',' || p_tail || coalesce(',' || p_ids, '')
  || coalesce(',' || p_settlement, '');
comment on function price.market_fields(text, text, text, text, text) is
  'The fields of a Market from the columns of a row of price.snapshot, without braces. p_ids and '
  'p_settlement are null when they are not included.';

create function price.market_json(p_head text, p_outcomes text, p_tail text, p_ids text, p_settlement text) returns text
language sql immutable parallel safe
return '{' || price.market_fields(p_head, p_outcomes, p_tail, p_ids, p_settlement) || '}';
comment on function price.market_json(text, text, text, text, text) is
  'A Market from the columns of a row of price.snapshot, as price.market_fields takes them.';

create function price.level_list(p_levels jsonb, p_price text, p_size text, p_count integer) returns text
language plpgsql immutable parallel safe
set search_path = ''
as $$
begin
  if p_levels is null then
    return coalesce('[{"price":' || p_price || ',"size":' || coalesce(p_size, 'null') || '}]', '[]');
  end if;
  return (
    select '[' || coalesce(string_agg(
      '{"price":' || trim_scale((e.level ->> 0)::integer / 1000000.0)
        || ',"size":' || trim_scale((e.level ->> 1)::bigint / 100.0) || '}',
      ',' order by e.n
    ), '') || ']'
    from jsonb_array_elements(p_levels) with ordinality as e (level, n)
    where e.n <= p_count
  );
end
$$;
comment on function price.level_list(jsonb, text, text, integer) is
  'The first p_count of the sampled levels as JSON. Without a sample the best level alone, which '
  'p_price and p_size have.';

create function price.book_with_levels(p_book json, p_levels jsonb, p_count integer) returns text
language plpgsql immutable parallel safe
set search_path = ''
as $$
begin
  if p_book is null or json_typeof(p_book) = 'null' then
    return 'null';
  end if;
  return '{' || price.fields_of(p_book::text)
    || ',"levels":{"asks":' || price.level_list(p_levels -> 'asks', p_book ->> 'ask', p_book ->> 'depth', p_count)
    || ',"bids":' || price.level_list(p_levels -> 'bids', p_book ->> 'bid', p_book ->> 'bid_depth', p_count) || '}}';
end
$$;
comment on function price.book_with_levels(json, jsonb, integer) is
  'A venue_a_book or venue_b_book with up to p_count levels; null for no book.';

create function price.add_levels(
  p_outcomes text, p_outcomes_depth text, p_sample price.level_sample, p_count integer
) returns text
language plpgsql immutable parallel safe
set search_path = ''
as $$
begin
  return (
    select '[' || coalesce(string_agg(
      '{' || price.fields_of(e.plain::text)
        || ',"venue_a_book":'
        || price.book_with_levels(e.deep -> 'venue_a_book', p_sample.a -> (e.n::integer - 1), p_count)
        || ',"venue_b_book":'
        || price.book_with_levels(e.deep -> 'venue_b_book', p_sample.b -> (e.n::integer - 1), p_count) || '}',
      ',' order by e.n
    ), '') || ']'
    from rows from (
      json_array_elements(p_outcomes::json), json_array_elements(p_outcomes_depth::json)
    ) with ordinality as e (plain, deep, n)
  );
end
$$;
comment on function price.add_levels(text, text, price.level_sample, integer) is
  'The outcomes of a row of price.snapshot with levels in their books, from its columns outcomes '
  'and outcomes_depth and its price.levels_of.';

create function price.levels_read_at(p_priced boolean, p_update price.price_update, p_sample price.level_sample)
returns text
language plpgsql stable parallel safe
set search_path = ''
as $$
begin
  return (
    select '"levels_read_at":' || row_to_json(t)
    from (
      select case
               when p_priced
                 then base.format_time(case when p_sample.a is null then p_update.read_a else p_sample.read_a end)
             end as venue_a,
             case
               when p_priced
                 then base.format_time(case when p_sample.b is null then p_update.read_b else p_sample.read_b end)
             end as venue_b
    ) t
  );
end
$$;
comment on function price.levels_read_at(boolean, price.price_update, price.level_sample) is
  'The field levels_read_at of a Market; null times without prices.';

-- A row stores its Market in parts, because REST includes three of them on request. The parts are
-- fields without braces: removing braces at each read doubled the time of a page (500 markets: 5.8
-- to 11.3 ms, 2026-11-24, 2 busy cores).
create function price.render_rows(p_inputs price.render_input[]) returns setof price.snapshot
language plpgsql stable
set search_path = ''
-- to_char formats the times in place: a call of base.format_time for each of them costs more than
-- everything else.
as $$
begin
  return query
  with inputs as materialized (
    select s.pair_id as input_id, s.fresh, s.rule_texts, s.changed_at, s.price, (s.price).*
    from unnest(p_inputs) s
  ), legs as (
    -- input_id, not o.pair_id: from that one the planner expects a single group of outcomes, and
    -- joins the groups in nested loops.
    select s.input_id as pair_id, o.ordinal, o.key, o.name, o.contract_a, coalesce(o.side_a, 'yes') as side_a,
           o.contract_b, o.relation, o.span, s.ask_a[o.n] as ask_a, s.ask_b[o.n] as ask_b, s.bid_a[o.n] as bid_a,
           s.bid_b[o.n] as bid_b, s.size_a[o.n] as size_a, s.size_b[o.n] as size_b,
           s.bid_size_a[o.n] as bid_size_a, s.bid_size_b[o.n] as bid_size_b,
           -- An update with another number of outcomes was read before the pair changed, so its
           -- positions no longer match.
           s.void_reason is null and cardinality(s.ask_a) = o.outcomes and cardinality(s.ask_b) = o.outcomes as fits
    from inputs s
    -- Lateral, here and below: right after a match pass the planner would scan all outcomes and all
    -- gates for a few hundred pairs.
    cross join lateral (
      select c.*, row_number() over (order by c.ordinal) as n, count(*) over () as outcomes
      from catalog.outcomes c
      where c.pair_id = s.input_id
      offset 0
    ) o
  ), written as (
    select l.pair_id, l.ordinal, l.fits, l.ask_a, l.ask_b,
           l.ask_a is not null and l.ask_b is not null
             and (l.bid_a < l.ask_a) is not false and (l.bid_b < l.ask_b) is not false as complete,
           -- relation and venue_a_span are written only where they are not null. A row without
           -- prices has no outcomes.
           case
             when l.fits
               then concat_ws(
                 ',', price.fields_of(row_to_json(f)::text),
                 nullif(price.fields_of(json_strip_nulls(row_to_json(r))::text), '')
               )
           end as fields,
           case when l.fits then price.fields_of(row_to_json(b)::text) end as books
    from legs l
    cross join lateral (
      select l.key, l.name,
             trim_scale(l.ask_a / 1000000.0) as venue_a,
             trim_scale(l.ask_b / 1000000.0) as venue_b,
             case when l.ask_a < l.ask_b then 'venue_a' when l.ask_b < l.ask_a then 'venue_b' end as cheaper
    ) f
    cross join lateral (select l.relation, l.span as venue_a_span) r
    cross join lateral (
      select trim_scale(l.ask_a / 1000000.0) as ask, trim_scale(l.bid_a / 1000000.0) as bid,
             trim_scale(l.size_a / 100.0) as depth, trim_scale(l.bid_size_a / 100.0) as bid_depth,
             l.contract_a as ticker, l.side_a as side
    ) book_a
    cross join lateral (
      select trim_scale(l.ask_b / 1000000.0) as ask, trim_scale(l.bid_b / 1000000.0) as bid,
             trim_scale(l.size_b / 100.0) as depth, trim_scale(l.bid_size_b / 100.0) as bid_depth,
             l.contract_b as token_id
    ) book_b
    cross join lateral (
      select case when l.contract_a is not null then row_to_json(book_a) end as venue_a_book,
             case when l.contract_b is not null then row_to_json(book_b) end as venue_b_book
    ) b
  ), outcomes as (
    select w.pair_id,
           bool_and(w.fits) as fits,
           bool_and(w.complete) as complete,
           -- The same as price.spread_pts, in one pass over the outcomes.
           max(abs(w.ask_a - w.ask_b)) / 10000.0 as gap,
           bool_or(w.ask_a is not null) as any_a,
           bool_or(w.ask_b is not null) as any_b,
           '[' || string_agg('{' || w.fields || '}', ',' order by w.ordinal) || ']' as plain,
           '[' || string_agg('{' || w.fields || ',' || w.books || '}', ',' order by w.ordinal) || ']' as depth
    from written w
    group by w.pair_id
  ), strikes as (
    select r.pair_id,
           bool_or(r.ask is not null) as any_a,
           array_to_json(array_agg(row_to_json(x) order by r.ordinal)) as ladder
    from (
      select l.pair_id, l.ordinal, l.label,
             case
               when p.status in ('open', 'live', 'resolving')
                 and s.void_reason is null
                 and cardinality(s.ladder_a) = count(*) over (partition by l.pair_id)
                 then s.ladder_a[row_number() over (partition by l.pair_id order by l.ordinal)]
             end as ask
      from inputs s
      join catalog.pairs p on p.pair_id = s.input_id
      join catalog.strikes l on l.pair_id = s.input_id
    ) r
    cross join lateral (select r.label, trim_scale(r.ask / 1000000.0) as venue_a) x
    group by r.pair_id
  ), risks as (
    -- Once for an assessment, which thousands of pairs may share.
    select a.assessment_id,
           array_to_json(array_agg(
             row_to_json(x) order by catalog.severity_rank(k.severity), k.event
           )) as risks
    from catalog.assessments a
    cross join lateral jsonb_to_recordset(a.risks) as k (event text, severity text, note text)
    cross join lateral (select k.event, k.severity, k.note) x
    where a.assessment_id in (
      select p.assessment_id from inputs s join catalog.pairs p on p.pair_id = s.input_id where s.fresh
    )
      -- Cancellation risks count in the signal and are not published.
      and not starts_with(k.event, 'cancel_')
    group by a.assessment_id
  ), known as (
    select s.fresh, s.rule_texts, s.changed_at, s.price, p.*, o.plain, o.depth, o.any_b, r.ladder,
           r.any_a as any_strike, o.any_a as any_leg, g.parity_ok, k.risks, o.complete, o.gap as read_gap,
           g.all_open, f.fields,
           o.fits
             and p.status in ('open', 'live', 'resolving')
             and (o.any_a or o.any_b or coalesce(r.any_a, false)) as quoted
    from inputs s
    join catalog.pairs p on p.pair_id = s.input_id
    left join outcomes o on o.pair_id = s.input_id
    left join strikes r on r.pair_id = s.input_id
    left join risks k on k.assessment_id = p.assessment_id
    left join lateral (
      select m.parity_ok, m.all_open from catalog.match_gates m where m.pair_id = s.input_id offset 0
    ) g on true
    left join catalog.market_families() f on f.family = p.market_type
    where p.withdrawn_at is null
  ), judged as materialized (
    select k.*,
           coalesce(k.quoted, false) as priced,
           case when k.quoted then k.read_gap end as gap,
           v.price_reason,
           case when k.all_open and v.price_reason is null then 'arb' else 'spread' end as signal
    from known k
    cross join lateral (select price.judge_price(k.quoted, k.complete, k.price) as price_reason) v
  )
  select j.pair_id, j.change_no, j.stage, j.band, j.category, j.market_type::text, j.sport, j.competition, j.location,
         j.asset, j.indicator, j.basis, j.institution, j.status, j.signal, j.gap::numeric(7, 4), j.start_time,
         j.game_id, j.changed_at, j.entity_confidence, j.resolution_confidence,
         exists (select from price.outcome_orders x where x.pair_id = j.pair_id and x.until is not null), j.priced,
         j.price, j.price_reason,
         price.fields_of(row_to_json(head_fields)::text),
         case when j.priced then j.plain else '[]' end,
         case when j.priced then j.depth else '[]' end,
         concat_ws(
           ',',
           price.fields_of(row_to_json(tail_fields)::text),
           case j.fields
             when 'line' then price.fields_of(row_to_json(line_fields)::text)
             when 'strikes' then price.fields_of(row_to_json(strike_fields)::text)
           end,
           case when j.omitted_outcomes is not null then price.fields_of(row_to_json(factor_fields)::text) end
         ),
         case when j.fresh then '"venues":' || row_to_json(venues) || ',"confidence":' || row_to_json(confidence) end,
         case
           when j.fresh and j.rule_texts then '"settlement":' || row_to_json(settlement_with_texts)
           when j.fresh then '"settlement":' || row_to_json(settlement)
         end
  from judged j
  cross join lateral (
    select j.priced and (j.any_leg or coalesce(j.any_strike, false)) as venue_a, j.priced and j.any_b as venue_b
  ) coverage
  cross join lateral (
    select 'mkt_' || j.pair_id as id,
           j.slug, j.category, j.market_type, j.sport, j.competition, j.location, j.asset, j.indicator, j.basis,
           j.institution, j.tags, j.title, j.home, j.away,
           to_char(j.start_time at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as start_time,
           j.status,
           case j.stage when 'catalog' then 'high_confidence' else 'review' end as match,
           j.signal,
           trim_scale(j.gap) as spread_pts,
           case
             when j.signal = 'arb' then trim_scale(price.potential_arb_pct((j.price).ask_a, (j.price).ask_b))
           end as potential_arb_pct,
           coverage
  ) head_fields
  cross join lateral (select j.url_a as venue_a, j.url_b as venue_b) links
  cross join lateral (
    select j.result - 'paid' as result,
           to_char(j.updated_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as updated_at,
           to_char(
             case when j.priced then (j.price).priced_at else j.updated_at end at time zone 'UTC',
             'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'
           ) as priced_at,
           links
  ) tail_fields
  cross join lateral (select trim_scale(j.line) as line, 'mkt_' || j.game_id as game_id) line_fields
  cross join lateral (select base.format_time(j.closes_a) as venue_a, base.format_time(j.closes_b) as venue_b) closes
  cross join lateral (select closes, coalesce(j.ladder, '[]') as venue_a_ladder) strike_fields
  cross join lateral (select j.omitted_outcomes as factors) factor_fields
  cross join lateral (
    select a as venue_a, b as venue_b
    from (select j.event_a as event_ticker) a
    cross join (select j.condition_b as condition_id, j.slug_b as slug) b
  ) venues
  cross join lateral (
    select trim_scale(j.entity_confidence) as entity, trim_scale(j.resolution_confidence) as resolution
  ) confidence
  cross join lateral (
    select coalesce(j.parity_ok, false) as parity, coalesce(j.risks, '[]') as risks, j.result -> 'verdict' as verdict
  ) settlement
  cross join lateral (
    select settlement.parity, settlement.risks, j.text_a as venue_a_text, j.text_b as venue_b_text, settlement.verdict
  ) settlement_with_texts;
end
$$;
comment on function price.render_rows(price.render_input[]) is
  'Rows of price.snapshot for pairs with their price update. A row that is not fresh has no ids '
  'and settlement. A withdrawn or unknown pair has no row.';
grant execute on function
  price.fields_of(text),
  price.market_fields(text, text, text, text, text),
  price.market_json(text, text, text, text, text),
  price.level_list(jsonb, text, text, integer),
  price.book_with_levels(json, jsonb, integer),
  price.add_levels(text, text, price.level_sample, integer),
  price.levels_read_at(boolean, price.price_update, price.level_sample)
to parallax_api;
