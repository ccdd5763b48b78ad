-- The rows of each data set, one JSON object a row, in the order of a key. docs/export.md describes
-- the columns. functions/export/columns.ts has their types in Parquet; tests/export compares both.
-- None has a column of an organization. Money is in 1e-6 USD, sizes are in 0.01 contract.

create type export.keyed_row as (
  key jsonb,
  line text
);
comment on type export.keyed_row is 'A row of a data set. key: what the next page begins after.';

create function export.updates_rows(p_from timestamptz, p_until timestamptz, p_after jsonb, p_limit integer)
returns setof export.keyed_row
language sql stable
set search_path = ''
set plan_cache_mode = force_custom_plan
as $$
  with place as (
    select coalesce(
             timestamptz 'epoch' + (p_after ->> 0)::bigint * interval '1 microsecond', p_from
           ) as priced_at,
           coalesce((p_after ->> 1)::bigint, 0) as update_no, coalesce((p_after ->> 2)::integer, -1) as outcome_no
  ), page as materialized (
    -- Every update has at least one row.
    select u.*
    from price.updates u
    where u.priced_at >= greatest(p_from, (select p.priced_at from place p))
      and u.priced_at < p_until
      and (u.priced_at, u.update_no) >= (select p.priced_at, p.update_no from place p)
    order by u.priced_at, u.update_no
    limit p_limit + 1
  ), current_keys as materialized (
    select o.pair_id, array_agg(o.key order by o.ordinal) as keys
    from catalog.outcomes o
    where o.pair_id in (select g.pair_id from page g)
    group by o.pair_id
  )
  select jsonb_build_array((extract(epoch from g.priced_at) * 1000000)::bigint, g.update_no, coalesce(t.n, 0)),
         row_to_json(x)::text
  from page g
  left join current_keys c on c.pair_id = g.pair_id
  left join lateral (
    select o.keys
    from price.outcome_orders o
    where o.pair_id = g.pair_id
      and o.since <= g.priced_at
    order by o.since desc
    limit 1
  ) r on true
  left join lateral unnest(
    g.ask_a, g.ask_b, g.bid_a, g.bid_b, g.size_a, g.size_b, g.bid_size_a, g.bid_size_b
  ) with ordinality as t (ask_a, ask_b, bid_a, bid_b, size_a, size_b, bid_size_a, bid_size_b, n) on true
  cross join lateral (
    select base.format_time(g.priced_at) as priced_at,
           g.update_no,
           'mkt_' || g.pair_id as market_id,
           (coalesce(r.keys, c.keys))[t.n] as outcome,
           t.ask_a as venue_a_ask_usd_micros,
           t.size_a as venue_a_ask_size_hundredths,
           t.bid_a as venue_a_bid_usd_micros,
           t.bid_size_a as venue_a_bid_size_hundredths,
           t.ask_b as venue_b_ask_usd_micros,
           t.size_b as venue_b_ask_size_hundredths,
           t.bid_b as venue_b_bid_usd_micros,
           t.bid_size_b as venue_b_bid_size_hundredths,
           base.format_time(g.read_a) as venue_a_read_at,
           base.format_time(g.read_b) as venue_b_read_at,
           g.void_reason
  ) x
  where (g.priced_at, g.update_no, coalesce(t.n, 0)) > (select p.priced_at, p.update_no, p.outcome_no from place p)
  order by g.priced_at, g.update_no, t.n
  limit p_limit + 1
$$;
comment on function export.updates_rows(timestamptz, timestamptz, jsonb, integer) is
  'Price updates, a row for each outcome; one row without an outcome for an update that voids the '
  'prices.';

create function export.opportunities_rows(p_from timestamptz, p_until timestamptz, p_after jsonb, p_limit integer)
returns setof export.keyed_row
language sql stable
set search_path = ''
set plan_cache_mode = force_custom_plan
as $$
  select jsonb_build_array(o.opportunity_id), row_to_json(x)::text
  from (
    select o.*
    from arb.opportunities o
    where o.closed_at >= p_from
      and o.closed_at < p_until
      and o.retracted_at is null
      and (p_after is null or o.opportunity_id > (p_after ->> 0)::uuid)
    order by o.opportunity_id
    limit p_limit + 1
  ) o
  left join catalog.pairs p on p.pair_id = o.pair_id
  left join lateral (
    select count(*) as states,
           (array_agg(s order by s.state_no))[1] as opening,
           (array_agg(s order by s.cost, s.size desc, s.state_no))[1] as peak
    from arb.opportunity_states s
    where s.opportunity_id = o.opportunity_id
      and s.from_at <= o.closed_at
      and not s.retracted
  ) s on true
  cross join lateral (
    select 'opp_' || o.opportunity_id as opportunity_id,
           'mkt_' || o.pair_id as market_id,
           p.title, p.category, p.market_type, p.sport, p.competition,
           base.format_time(o.opened_at) as opened_at,
           base.format_time(o.closed_at) as closed_at,
           o.close_reason,
           s.states,
           (s.opening).cost as opening_cost_usd_micros,
           (s.opening).size as opening_size_hundredths,
           (s.opening).total_cost as opening_total_usd_micros,
           base.format_time((s.peak).from_at) as peak_at,
           (s.peak).cost as peak_cost_usd_micros,
           (s.peak).size as peak_size_hundredths,
           (s.peak).total_cost as peak_total_usd_micros,
           (s.peak).legs as peak_legs
  ) x
  order by o.opportunity_id
$$;
comment on function export.opportunities_rows(timestamptz, timestamptz, jsonb, integer) is
  'Opportunities that closed in the range, without retracted ones.';

create function export.pairs_rows(p_from timestamptz, p_until timestamptz, p_after jsonb, p_limit integer)
returns setof export.keyed_row
language sql stable
set search_path = ''
set plan_cache_mode = force_custom_plan
as $$
  select jsonb_build_array(p.pair_id), row_to_json(x)::text
  from (
    select p.*
    from catalog.pairs p
    where p.created_at < p_until
      and (p.withdrawn_at is null or p.withdrawn_at >= p_from)
      and case p.status
        when 'settled' then (p.result ->> 'settled_at')::timestamptz >= p_from
        -- A pair without a result is closed 30 days after its contracts.
        when 'closed' then coalesce(greatest(p.closes_a, p.closes_b), p.start_time) >= p_from - interval '31 days'
        else true
      end
      and (p_after is null or p.pair_id > (p_after ->> 0)::uuid)
    order by p.pair_id
    limit p_limit + 1
  ) p
  cross join lateral (
    select 'mkt_' || p.pair_id as market_id,
           p.stage, p.band, p.status, p.market_type, p.category, p.sport, p.competition, p.location, p.asset,
           p.indicator, p.basis, p.institution, p.title, p.home, p.away,
           base.format_time(p.start_time) as start_time,
           p.line::double precision as line,
           p.entity_confidence, p.resolution_confidence, p.rule_id,
           p.event_a as venue_a_event, p.event_b as venue_b_event, p.condition_b as venue_b_condition,
           (
             select json_agg(
               json_build_object(
                 'outcome', o.key, 'name', o.name, 'venue_a_contract', o.contract_a, 'venue_a_side', o.side_a,
                 'venue_b_market', o.market_b, 'venue_b_contract', o.contract_b, 'relation', o.relation
               )
               order by o.ordinal
             )
             from catalog.outcomes o
             where o.pair_id = p.pair_id
           ) as outcomes,
           catalog.public_risks(p.assessment_id) as risks,
           base.format_time(p.created_at) as created_at,
           base.format_time(p.updated_at) as updated_at,
           base.format_time(p.withdrawn_at) as withdrawn_at,
           p.withdrawn_code
  ) x
  order by p.pair_id
$$;
comment on function export.pairs_rows(timestamptz, timestamptz, jsonb, integer) is
  'Pairs and candidates that were listed in the range, as they are when the part is made.';

create function export.refusals_rows(p_from timestamptz, p_until timestamptz, p_after jsonb, p_limit integer)
returns setof export.keyed_row
language sql stable
set search_path = ''
set plan_cache_mode = force_custom_plan
as $$
  with refusals as (
    select 'match' as kind, r.question_a as key_1, r.question_b as key_2, r.code as key_3,
           null as market_id, r.question_a as venue_a_question, r.question_b as venue_b_question,
           null as stage, r.code, r.detail, r.seen_at as first_at, r.seen_at as last_at, 1::bigint as occurrences
    from catalog.rejections r
    where r.seen_at >= p_from
      and r.seen_at < p_until
    union all
    select 'opportunity', r.pair_id::text, r.stage, r.reason,
           'mkt_' || r.pair_id, null, null,
           r.stage, r.reason, r.subject, r.first_at, r.last_at, r.occurrences
    from arb.rejections r
    where r.first_at < p_until
      and r.last_at >= p_from
  )
  select jsonb_build_array(r.kind, r.key_1, r.key_2, r.key_3), row_to_json(x)::text
  from refusals r
  cross join lateral (
    select r.kind, r.market_id, r.venue_a_question, r.venue_b_question, r.stage, r.code, r.detail,
           base.format_time(r.first_at) as first_at,
           base.format_time(r.last_at) as last_at,
           r.occurrences
  ) x
  where p_after is null
    or (r.kind collate "C", r.key_1 collate "C", r.key_2 collate "C", r.key_3 collate "C")
    > (p_after ->> 0, p_after ->> 1, p_after ->> 2, p_after ->> 3)
  order by r.kind collate "C", r.key_1 collate "C", r.key_2 collate "C", r.key_3 collate "C"
  limit p_limit + 1
$$;
comment on function export.refusals_rows(timestamptz, timestamptz, jsonb, integer) is
  'Look-alikes that were refused in the range (match), and possible opportunities that failed a '
  'rule (opportunity; the range touches first_at to last_at).';

create function export.verdicts_rows(p_day date, p_after jsonb, p_limit integer) returns setof export.keyed_row
language sql stable
set search_path = ''
set plan_cache_mode = force_custom_plan
as $$
  select jsonb_build_array(v.pair_id), row_to_json(x)::text
  from export.verdicts v
  join catalog.pairs p on p.pair_id = v.pair_id
  cross join lateral (
    select 'mkt_' || p.pair_id as market_id,
           p.title, p.category, p.market_type, p.sport, p.competition, p.rule_id,
           p.result ->> 'verdict' as verdict,
           (p.result ->> 'venues_agree')::boolean as venues_agree,
           (p.result ->> 'void')::boolean as void,
           p.result -> 'winners' as winners,
           nullif(p.result -> 'paid', 'null') as paid,
           base.format_time((p.result ->> 'settled_at')::timestamptz) as settled_at
  ) x
  where v.day = p_day
    and (p_after is null or v.pair_id > (p_after ->> 0)::uuid)
  order by v.pair_id
  limit p_limit + 1
$$;
comment on function export.verdicts_rows(date, jsonb, integer) is
  'Results of pairs: whether both venues paid the same. Which pairs: export.choose_verdicts.';

create type export.page as (
  lines text,
  row_count integer,
  last_key jsonb,
  has_more boolean
);
comment on type export.page is 'A part of a slice: its rows as NDJSON.';

create function export.slice_rows(p_slice export.slices, p_limit integer) returns setof export.keyed_row
language plpgsql stable
set search_path = ''
as $$
declare
  v_from timestamptz := p_slice.from_at;
  v_until timestamptz := p_slice.until_at;
  v_after jsonb := p_slice.last_key;
begin
  case p_slice.dataset
    when 'updates' then return query select * from export.updates_rows(v_from, v_until, v_after, p_limit);
    when 'opportunities' then return query select * from export.opportunities_rows(v_from, v_until, v_after, p_limit);
    when 'pairs' then return query select * from export.pairs_rows(v_from, v_until, v_after, p_limit);
    when 'refusals' then return query select * from export.refusals_rows(v_from, v_until, v_after, p_limit);
    when 'verdicts' then return query select * from export.verdicts_rows(p_slice.day, v_after, p_limit);
  end case;
end
$$;
comment on function export.slice_rows(export.slices, integer) is
  'The next p_limit rows of a slice in order, and one more if there is one.';

create function export.render_page(p_slice export.slices, p_limit integer) returns export.page
language sql stable
set search_path = ''
as $$
  with numbered as (
    select r.key, r.line, r.n
    from export.slice_rows(p_slice, p_limit) with ordinality as r (key, line, n)
  )
  select coalesce(string_agg(n.line || E'\n', '' order by n.n) filter (where n.n <= p_limit), ''),
         count(*) filter (where n.n <= p_limit),
         (array_agg(n.key order by n.n desc) filter (where n.n <= p_limit))[1],
         count(*) > p_limit
  from numbered n
$$;
comment on function export.render_page(export.slices, integer) is
  'The next p_limit rows of a slice.';

revoke all on function
  export.updates_rows(timestamptz, timestamptz, jsonb, integer),
  export.opportunities_rows(timestamptz, timestamptz, jsonb, integer),
  export.pairs_rows(timestamptz, timestamptz, jsonb, integer),
  export.refusals_rows(timestamptz, timestamptz, jsonb, integer),
  export.verdicts_rows(date, jsonb, integer),
  export.slice_rows(export.slices, integer),
  export.render_page(export.slices, integer)
from public;
