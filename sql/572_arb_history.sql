-- The history of closed opportunities, for GET /v2/arbitrage/history. Each step of the REST
-- snapshot adds the opportunities that closed up to it (arb.write_history), so the rows belong to
-- the version of the snapshot. A row keeps the JSON of its response, so a page reads no states.
--
-- With 100,400 rows (PostgreSQL 17, 2 cores under a load of 10, CPU of the backend, 2026-11-27): 3
-- to 7 ms for a page of 100 by any filter, 19 ms for 500, 1 ms where nothing matches. Rendering a
-- page from the states instead took 40 ms. arb.write_history takes 1 ms for each row.

create table arb.history_groups (
  group_id integer generated always as identity primary key,
  category text not null,
  market_type text not null,
  sport text,
  competition text,
  close_reason text not null,
  unique nulls not distinct (category, market_type, sport, competition, close_reason)
);
comment on table arb.history_groups is
  'The values that arb.history is filtered by, each combination once. A filter is compared with '
  'these few rows first, so one that matches nothing reads no row of the history.';

create table arb.history (
  opportunity_id uuid primary key,
  group_id integer not null references arb.history_groups (group_id),
  pair_id uuid not null,
  closed_at timestamptz not null,
  peak_cost integer not null,
  fields text not null
);
comment on table arb.history is
  'One row for each closed opportunity that was valid, until it is purged with the opportunity. '
  'Without a foreign key to it: arb.purge_expired deletes both.';
comment on column arb.history.peak_cost is 'Cost of $1 of payout at the largest edge, in 1e-6 USD.';
comment on column arb.history.fields is
  'JSON fields without braces: those of arb.past_opportunity_fields.';
-- The last two columns are filters: the indexes answer a filtered page without the table.
create index history_by_close on arb.history (closed_at, opportunity_id) include (group_id, peak_cost);
create index history_by_group on arb.history (group_id, closed_at, opportunity_id) include (peak_cost);
create index history_by_pair on arb.history (pair_id, closed_at, opportunity_id);
create index history_by_peak on arb.history (peak_cost);

alter table arb.history_groups enable row level security;
alter table arb.history_groups force row level security;
alter table arb.history enable row level security;
alter table arb.history force row level security;

create policy "the api reads the groups of the history" on arb.history_groups
  for select to parallax_api
  using (true);
create policy "the api reads the history" on arb.history for select to parallax_api using (true);
grant select on arb.history_groups, arb.history to parallax_api;

create function arb.past_opportunity_fields(p_opportunity arb.opportunities, p_pair catalog.pairs)
returns table (peak_cost integer, fields text)
language sql stable
set search_path = ''
as $$
  with valid as (
    select s.from_at, s.size, s.cost, s.total_cost, s.state_no,
           (s.size, s.cost) is distinct from (lag(s.size) over w, lag(s.cost) over w) as differs
    from arb.opportunity_states s
    where s.opportunity_id = p_opportunity.opportunity_id
      and s.from_at <= p_opportunity.closed_at
      and not s.retracted
    window w as (order by s.state_no)
  ), numbered as (
    select v.cost, row_number() over (order by v.state_no) as n, count(*) over () as total,
           row_number() over (order by v.cost, v.size desc, v.state_no) as rank,
           json_build_object(
             'at', base.format_time(v.from_at), 'contracts', trim_scale(v.size / 100.0),
             'edge_pct', trim_scale((1000000 - v.cost) / 10000.0)
           ) as sample,
           json_build_object(
             'at', base.format_time(v.from_at), 'contracts', trim_scale(v.size / 100.0),
             'edge_pct', trim_scale((1000000 - v.cost) / 10000.0),
             'cost_usd', trim_scale(v.total_cost / 1000000.0),
             'profit_usd', trim_scale((v.size * 10000 - v.total_cost) / 1000000.0)
           ) as terms
    from valid v
    where v.differs
  ), summary as (
    select min(n.cost) as peak_cost,
           (array_agg(n.terms) filter (where n.n = 1))[1] as opening,
           (array_agg(n.terms) filter (where n.rank = 1))[1] as peak,
           max(n.total) as states,
           -- The first, the peak, the last, and at most 17 others.
           json_agg(n.sample order by n.n) filter (
             where n.total <= 20
               or n.n in (1, n.total)
               or n.rank = 1
               or n.n * 17 / n.total > (n.n - 1) * 17 / n.total
           ) as samples
    from numbered n
    having count(*) > 0
  )
  select s.peak_cost, price.fields_of(row_to_json(x)::text)
  from summary s
  cross join lateral (
    select 'opp_' || p_opportunity.opportunity_id as id,
           'mkt_' || p_pair.pair_id as market_id,
           p_pair.title, p_pair.category, p_pair.market_type, p_pair.sport, p_pair.competition,
           base.format_time(p_opportunity.opened_at) as opened_at,
           base.format_time(p_opportunity.closed_at) as closed_at,
           p_opportunity.close_reason,
           trim_scale((1000000 - s.peak_cost) / 10000.0) as peak_edge_pct,
           s.opening, s.peak, s.states, s.samples
  ) x
$$;
comment on function arb.past_opportunity_fields(arb.opportunities, catalog.pairs) is
  'A closed opportunity as arb.history keeps it. The peak is the largest edge, of equal ones the '
  'largest size, then the first. No row when no state of it was valid.';

create function arb.write_history(p_step timestamptz, p_limit integer default 200) returns integer
language plpgsql volatile
set search_path = ''
as $$
declare
  v_ended uuid[];
begin
  with ended as (
    select o.opportunity_id
    from arb.opportunities o
    where not o.in_history
      and o.closed_at <= p_step
    order by o.closed_at
    limit p_limit
    -- A flush that closes it again sets in_history to false.
    for update skip locked
  ), marked as (
    update arb.opportunities o
    set in_history = true
    from ended e
    where o.opportunity_id = e.opportunity_id
    returning o.opportunity_id
  )
  select array_agg(m.opportunity_id) into v_ended
  from marked m;
  if v_ended is null then
    return 0;
  end if;
  delete from arb.history h where h.opportunity_id = any (v_ended);
  insert into arb.history_groups (category, market_type, sport, competition, close_reason)
  select distinct p.category, p.market_type, p.sport, p.competition, o.close_reason
  from arb.opportunities o
  join catalog.pairs p on p.pair_id = o.pair_id
  where o.opportunity_id = any (v_ended)
    and o.retracted_at is null
  except
  select g.category, g.market_type, g.sport, g.competition, g.close_reason
  from arb.history_groups g;
  insert into arb.history (opportunity_id, group_id, pair_id, closed_at, peak_cost, fields)
  select o.opportunity_id, g.group_id, o.pair_id, o.closed_at, f.peak_cost, f.fields
  from arb.opportunities o
  join catalog.pairs p on p.pair_id = o.pair_id
  join arb.history_groups g
    on g.category = p.category
    and g.market_type = p.market_type
    and g.sport is not distinct from p.sport
    and g.competition is not distinct from p.competition
    and g.close_reason = o.close_reason
  cross join lateral arb.past_opportunity_fields(o, p) f
  where o.opportunity_id = any (v_ended)
    and o.retracted_at is null;
  return cardinality(v_ended);
end
$$;
comment on function arb.write_history(timestamptz, integer) is
  'Adds the opportunities that closed up to a step to the history, the oldest first, and removes '
  'retracted ones. Returns how many. Only the step calls it, one at a time.';
