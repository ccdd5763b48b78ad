-- GET /v2/categories and GET /v2/leagues: the filters that return something. Both count published
-- rows (stage catalog), as /v2/markets lists by default. Candidates are left out: a league with
-- candidates only would be an empty list.
--
-- Each is one sequential scan of the snapshot and a hash or sort of some dozens of groups, once for
-- each step: 2.2 ms (categories) and 1.7 ms (leagues) at 3,000 pairs, 25 ms each at 20,000
-- (PostgreSQL 17, 2 cores, 2026-11-20). An index on nine columns, which the status changes, would
-- cost every step more.

create function api.facet_keys(p_market_type text) returns text[]
language sql immutable parallel safe
set search_path = ''
as $$
  select f.facets from catalog.market_families() f where f.family = p_market_type
$$;
comment on function api.facet_keys(text) is
  'The contextual fields that distinguish markets of a type; the other fields are null.';

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
    select c.category, c.market_type, c.rows, f.context, f.facets_json
    from counted c
    cross join lateral (
      select array_agg(k.value order by k.n) as context,
             string_agg(
               format(',"%s":%s', k.key, coalesce(to_json(k.value)::text, 'null')), '' order by k.n
             ) as facets_json
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
           '{"market_type":' || to_json(k.market_type) || k.facets_json || ',"count":' || sum(k.rows) || '}' as json
    from keyed k
    group by k.category, k.market_type, k.context, k.facets_json
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
             || (
               select string_agg(f.json, ',' order by f.market_type, f.context)
               from facets f
               where f.category = c.category
             )
             || '],"count":' || c.rows || ',"open":' || c.open || ',"live":' || c.live || ',"settled":' || c.settled
             || '}',
           ',' order by c.category
         ), '') || ']}'
  into v_answer.status, v_answer.version, v_answer.step, v_answer.body
  from categories c;
  return v_answer;
end
$$;
comment on function api.get_categories(jsonb) is
  'Every combination of category, market type and context of published rows. count includes all '
  'statuses; open, live and settled are parts of it. Facets add up to count.';

create function api.get_leagues(p_params jsonb) returns api.route_result
language plpgsql volatile
set search_path = ''
as $$
declare
  v_answer api.route_result;
begin
  select 200, api.markets_version(), (select t.step from price.snapshot_state t),
         '{"sports":[' || coalesce(string_agg(
           -- The form that old clients expect: every market counts as open.
           '{"sport":' || to_json(l.sport) || ',"leagues":' || l.leagues
             || ',"count":' || l.rows || ',"open":' || l.rows || ',"live":0,"settled":0}',
           ',' order by l.sport
         ), '') || ']}'
  into v_answer.status, v_answer.version, v_answer.step, v_answer.body
  from (
    select s.sport, count(*) as rows,
           coalesce(
             to_json(array_agg(distinct s.competition order by s.competition) filter (where s.competition is not null)),
             '[]'
           ) as leagues
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
  'Deprecated, use /v2/categories. Leagues of each sport among open or live published rows; count '
  'includes rows without a league.';

grant execute on function api.facet_keys(text), api.get_categories(jsonb), api.get_leagues(jsonb) to parallax_api;
