-- GET /v2/categories and GET /v2/leagues: what there is to ask for. Both speak of published rows (stage catalog): what they offer is
-- what /v2/markets finds by default; candidates are another view, and a league with nothing but doubtful pairs would be an empty list.
--
-- Each is one sequential scan of the snapshot and a hash or sort of some dozens of groups, once a step: at 3,000 pairs 2.2 ms
-- (categories) and 1.7 ms (leagues), at 20,000 pairs 25 ms each (PostgreSQL 17, 2 cores, 2026-11-20). An index on nine columns, of
-- which the status moves, would cost every step more than that.

create function api.facet_keys(p_market_type text) returns text[]
language sql immutable parallel safe
set search_path = ''
as $$
  select f.facets from catalog.market_families() f where f.family = p_market_type
$$;
comment on function api.facet_keys(text) is 'The contextual fields by which markets of a type are told apart; the others are null on them.';

create function api.get_categories(p_params jsonb) returns api.route_result
language plpgsql volatile
set search_path = ''
as $$
declare
  v_answer api.route_result;
begin
  with counted as materialized (
    select s.category, s.market_type, s.sport, s.competition, s.location, s.asset, s.indicator, s.basis, s.institution,
           count(*) as rows,
           count(*) filter (where s.status = 'open') as open,
           count(*) filter (where s.status = 'live') as live,
           count(*) filter (where s.status = 'settled') as settled
    from price.snapshot s
    where s.stage = 'catalog'
    group by s.category, s.market_type, s.sport, s.competition, s.location, s.asset, s.indicator, s.basis, s.institution
  ), keyed as (
    select c.category, c.market_type, c.rows, f.context, f.shown
    from counted c
    cross join lateral (
      select array_agg(k.value order by k.n) as context,
             string_agg(format(',"%s":%s', k.key, coalesce(to_json(k.value)::text, 'null')), '' order by k.n) as shown
      from (
        select u.key, u.n,
               case u.key
                 when 'sport' then c.sport
                 when 'competition' then c.competition
                 when 'location' then c.location
                 when 'asset' then c.asset
                 when 'indicator' then c.indicator
                 when 'basis' then c.basis
                 when 'institution' then c.institution
               end as value
        from unnest(api.facet_keys(c.market_type)) with ordinality as u (key, n)
      ) k
    ) f
  ), facets as (
    select k.category, k.market_type, k.context,
           '{"market_type":' || to_json(k.market_type) || k.shown || ',"count":' || sum(k.rows) || '}' as json
    from keyed k
    group by k.category, k.market_type, k.context, k.shown
  ), categories as (
    select c.category,
           to_json(array_agg(distinct c.market_type order by c.market_type)) as market_types,
           sum(c.rows) as rows, sum(c.open) as open, sum(c.live) as live, sum(c.settled) as settled
    from counted c
    group by c.category
  )
  select 200, api.markets_version(), (select t.step from price.snapshot_state t),
         '{"categories":[' || coalesce(string_agg(
           '{"category":' || to_json(c.category) || ',"market_types":' || c.market_types
             || ',"facets":['
             || (select string_agg(f.json, ',' order by f.market_type, f.context) from facets f where f.category = c.category)
             || '],"count":' || c.rows || ',"open":' || c.open || ',"live":' || c.live || ',"settled":' || c.settled || '}',
           ',' order by c.category
         ), '') || ']}'
  into v_answer.status, v_answer.version, v_answer.step, v_answer.body
  from categories c;
  return v_answer;
end
$$;
comment on function api.get_categories(jsonb) is
  'Every combination of category, market type and context that published rows have. count: rows of any status; open, live and settled: of these; what is resolving or closed is in count alone. Facets add up to count.';

create function api.get_leagues(p_params jsonb) returns api.route_result
language plpgsql volatile
set search_path = ''
as $$
declare
  v_answer api.route_result;
begin
  select 200, api.markets_version(), (select t.step from price.snapshot_state t),
         '{"sports":[' || coalesce(string_agg(
           -- The form that old clients know: everything counts as open.
           '{"sport":' || to_json(l.sport) || ',"leagues":' || l.leagues
             || ',"count":' || l.rows || ',"open":' || l.rows || ',"live":0,"settled":0}',
           ',' order by l.sport
         ), '') || ']}'
  into v_answer.status, v_answer.version, v_answer.step, v_answer.body
  from (
    select s.sport, count(*) as rows,
           coalesce(to_json(array_agg(distinct s.competition order by s.competition) filter (where s.competition is not null)), '[]') as leagues
    from price.snapshot s
    where s.stage = 'catalog'
      and s.status in ('open', 'live')
      and s.sport is not null
    group by s.sport
  ) l;
  return v_answer;
end
$$;
comment on function api.get_leagues(jsonb) is
  'Deprecated for /v2/categories. Leagues of each sport among published rows that are open or live; count includes rows without a league.';

grant execute on function api.facet_keys(text), api.get_categories(jsonb), api.get_leagues(jsonb) to parallax_api;
