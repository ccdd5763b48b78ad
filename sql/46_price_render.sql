-- JSON of a Market, made when the row changes and never when it is read.

create type price.render_input as (
  pair_id uuid,
  fresh boolean,
  price price.price_update
);
comment on type price.render_input is
  'A pair with the price update that it is to show (null: none). fresh: its identity changed, so ids and settlement are rendered too.';

create function price.render(p_shown price.render_input[]) returns setof price.snapshot
language plpgsql stable
set search_path = ''
-- Numbers and times are written by operators in place: a call of a function of ours for each of them would cost more than all the rest.
as $$
begin
  return query
  with shown as materialized (
    select s.pair_id as shown_id, s.fresh, s.price, (s.price).*
    from unnest(p_shown) s
  ), legs as (
    select o.pair_id, o.ordinal, o.key, o.name, o.contract_a, coalesce(o.side_a, 'yes') as side_a, o.contract_b, o.relation, o.span,
           s.ask_a[o.n] as ask_a, s.ask_b[o.n] as ask_b, s.bid_a[o.n] as bid_a, s.bid_b[o.n] as bid_b,
           s.size_a[o.n] as size_a, s.size_b[o.n] as size_b,
           s.bid_size_a[o.n] as bid_size_a, s.bid_size_b[o.n] as bid_size_b,
           -- A frame of another number of outcomes was read before the pair changed: its places mean nothing now.
           s.void is null and cardinality(s.ask_a) = o.outcomes and cardinality(s.ask_b) = o.outcomes as fits
    from shown s
    join (
      select c.*,
             row_number() over (partition by c.pair_id order by c.ordinal) as n,
             count(*) over (partition by c.pair_id) as outcomes
      from catalog.outcomes c
      where c.pair_id in (select x.shown_id from shown x)
    ) o on o.pair_id = s.shown_id
  ), written as (
    select l.pair_id, l.ordinal, l.fits, l.ask_a, l.ask_b,
           l.ask_a is not null and l.ask_b is not null
             and (l.bid_a < l.ask_a) is not false and (l.bid_b < l.ask_b) is not false as complete,
           '{"key":' || to_json(l.key) || ',"name":' || to_json(l.name)
             || ',"venue_a":' || coalesce(trim_scale(l.ask_a / 1000000.0)::text, 'null')
             || ',"venue_b":' || coalesce(trim_scale(l.ask_b / 1000000.0)::text, 'null')
             || ',"cheaper":' || case when l.ask_a < l.ask_b then '"venue_a"' when l.ask_b < l.ask_a then '"venue_b"' else 'null' end
             || case when l.relation is null then '' else ',"relation":' || to_json(l.relation) end
             || case when l.span is null then '' else ',"venue_a_span":' || array_to_json(l.span) end as plain,
           ',"venue_a_book":' || case
             when l.contract_a is null then 'null'
             else '{"ask":' || coalesce(trim_scale(l.ask_a / 1000000.0)::text, 'null')
               || ',"bid":' || coalesce(trim_scale(l.bid_a / 1000000.0)::text, 'null')
               || ',"depth":' || coalesce(trim_scale(l.size_a / 100.0)::text, 'null')
               || ',"bid_depth":' || coalesce(trim_scale(l.bid_size_a / 100.0)::text, 'null')
               || ',"ticker":' || to_json(l.contract_a)
               || ',"side":"' || l.side_a || '"}'
           end || ',"venue_b_book":' || case
             when l.contract_b is null then 'null'
             else '{"ask":' || coalesce(trim_scale(l.ask_b / 1000000.0)::text, 'null')
               || ',"bid":' || coalesce(trim_scale(l.bid_b / 1000000.0)::text, 'null')
               || ',"depth":' || coalesce(trim_scale(l.size_b / 100.0)::text, 'null')
               || ',"bid_depth":' || coalesce(trim_scale(l.bid_size_b / 100.0)::text, 'null')
               || ',"token_id":' || to_json(l.contract_b) || '}'
           end as books
    from legs l
  ), outcomes as (
    select w.pair_id,
           bool_and(w.fits) as fits,
           -- price.spread_pts, in the same pass over the outcomes.
           bool_and(w.complete) as complete,
           max(abs(w.ask_a - w.ask_b)) / 10000.0 as gap,
           bool_or(w.ask_a is not null) as any_a,
           bool_or(w.ask_b is not null) as any_b,
           '[' || string_agg(w.plain || '}', ',' order by w.ordinal) || ']' as plain,
           '[' || string_agg(w.plain || w.books || '}', ',' order by w.ordinal) || ']' as depth
    from written w
    group by w.pair_id
  ), rungs as (
    select r.pair_id,
           bool_or(r.ask is not null) as any_a,
           '[' || string_agg(
             '{"label":' || to_json(r.label) || ',"venue_a":' || coalesce(trim_scale(r.ask / 1000000.0)::text, 'null') || '}',
             ',' order by r.ordinal
           ) || ']' as ladder
    from (
      select l.pair_id, l.ordinal, l.label,
             case
               when p.status in ('open', 'live', 'resolving')
                 and s.void is null
                 and cardinality(s.ladder_a) = count(*) over (partition by l.pair_id)
               then s.ladder_a[row_number() over (partition by l.pair_id order by l.ordinal)]
             end as ask
      from shown s
      join catalog.pairs p on p.pair_id = s.shown_id
      join catalog.ladder l on l.pair_id = s.shown_id
    ) r
    group by r.pair_id
  ), risks as (
    select k.pair_id,
           '[' || string_agg(
             '{"event":' || to_json(k.event) || ',"severity":' || to_json(k.severity) || ',"note":' || to_json(k.note) || '}',
             ',' order by array_position(array['critical', 'high', 'medium', 'low'], k.severity), k.event
           ) || ']' as risks
    from shown s
    join catalog.risks k on k.pair_id = s.shown_id
    where s.fresh
      -- What a cancellation does counts in the signal and stays in the house.
      and not starts_with(k.event, 'cancel_')
    group by k.pair_id
  ), known as (
    select s.fresh, s.price, p.*, o.plain, o.depth, o.any_b, r.ladder, r.any_a as any_rung, o.any_a as any_leg, g.parity_ok, k.risks,
           o.complete, o.gap as read_gap,
           g.all_open,
           o.fits
             and p.status in ('open', 'live', 'resolving')
             and (o.any_a or o.any_b or coalesce(r.any_a, false)) as quoted
    from shown s
    join catalog.pairs p on p.pair_id = s.shown_id
    left join outcomes o on o.pair_id = s.shown_id
    left join rungs r on r.pair_id = s.shown_id
    left join risks k on k.pair_id = s.shown_id
    left join catalog.gates g on g.pair_id = s.shown_id
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
  select j.pair_id, j.change_no, j.stage, j.band, j.category, j.market_type::text, j.sport, j.competition, j.location, j.asset,
         j.indicator, j.basis, j.institution, j.status, j.signal, j.gap::numeric(7, 4), j.start_time, j.game_id,
         j.entity_confidence, j.resolution_confidence,
         exists (select from price.outcome_orders x where x.pair_id = j.pair_id and x.until is not null), j.priced, j.price, j.price_reason,
         '"id":"mkt_' || j.pair_id || '",' || substr(h.json, 2, length(h.json) - 2) || ',"outcomes":',
         case when j.priced then j.plain else '[]' end,
         case when j.priced then j.depth else '[]' end,
         ',' || substr(t.json, 2, length(t.json) - 2) || f.json,
         case when j.fresh then i.json else '' end,
         case when j.fresh then c.json else '' end
  from judged j
  cross join lateral (
    select row_to_json(x)::text as json
    from (
      select j.slug, j.category, j.market_type, j.sport, j.competition, j.location, j.asset, j.indicator, j.basis, j.institution,
             j.tags, j.title, j.home, j.away,
             to_char(j.start_time at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as start_time,
             j.status,
             case j.stage when 'catalog' then 'high_confidence' else 'review' end as match,
             j.signal,
             trim_scale(j.gap) as spread_pts,
             case when j.signal = 'arb' then trim_scale(price.potential_arb_pct((j.price).ask_a, (j.price).ask_b)) end as potential_arb_pct,
             (
               select y
               from (
                 select j.priced and (j.any_leg or coalesce(j.any_rung, false)) as venue_a, j.priced and j.any_b as venue_b
               ) y
             ) as coverage
    ) x
  ) h
  cross join lateral (
    select row_to_json(x)::text as json
    from (
      select j.result,
             to_char(j.updated_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as updated_at,
             to_char(
               case when j.priced then (j.price).priced_at else j.updated_at end at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'
             ) as priced_at,
             (select y from (select j.url_a as venue_a, j.url_b as venue_b) y) as links
    ) x
  ) t
  cross join lateral (
    select case
      when j.market_type in ('moneyline', 'outright') then ''
      when j.market_type in ('total', 'spread', 'team_total', 'advance') then
        ',"line":' || coalesce(trim_scale(j.line)::text, 'null')
          || ',"game_id":' || coalesce('"mkt_' || j.game_id || '"', 'null')
      else
        ',"closes":{"venue_a":' || coalesce(to_json(price.iso(j.closes_a))::text, 'null')
          || ',"venue_b":' || coalesce(to_json(price.iso(j.closes_b))::text, 'null') || '}'
          || ',"venue_a_ladder":' || coalesce(j.ladder, '[]')
    end || coalesce(',"factors":' || j.factors::text, '') as json
  ) f
  cross join lateral (
    select ',"venues":{"venue_a":{"event_ticker":' || to_json(j.event_a)
      || '},"venue_b":{"condition_id":' || coalesce(to_json(j.condition_b)::text, 'null')
      || ',"slug":' || coalesce(to_json(j.slug_b)::text, 'null')
      || '}},"confidence":{"entity":' || trim_scale(j.entity_confidence)
      || ',"resolution":' || trim_scale(j.resolution_confidence) || '}' as json
  ) i
  cross join lateral (
    select ',"settlement":{"parity":' || coalesce(j.parity_ok, false)
      || ',"risks":' || coalesce(j.risks, '[]')
      || ',"venue_a_text":' || coalesce(to_json(j.text_a)::text, 'null')
      || ',"venue_b_text":' || coalesce(to_json(j.text_b)::text, 'null')
      || ',"verdict":' || coalesce((j.result -> 'verdict')::text, 'null') || '}' as json
  ) c;
end
$$;
comment on function price.render(price.render_input[]) is
  'Rows of price.snapshot for pairs with the update that each is to show. Rows that are not fresh come with ids and settlement empty. A pair that is withdrawn or unknown gives no row.';
