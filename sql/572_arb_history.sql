-- The history of closed opportunities, for GET /v2/arbitrage/history. Each step of the REST
-- snapshot adds the opportunities that closed up to it (arb.write_history), so the rows belong to
-- the version of the snapshot. A row has everything that a response needs: a page reads no states.
-- Sizes are 0.01 contract of each leg, money is 1e-6 USD, times are market time.

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
  title text not null,
  opened_at timestamptz not null,
  closed_at timestamptz not null,
  opening_cost integer not null,
  opening_size bigint not null,
  opening_total_cost bigint not null,
  peak_at timestamptz not null,
  peak_cost integer not null,
  peak_size bigint not null,
  peak_total_cost bigint not null,
  state_count integer not null check (state_count > 0),
  samples jsonb not null check (jsonb_typeof(samples) = 'array')
);
comment on table arb.history is
  'One row for each closed opportunity that was valid, until it is purged with the opportunity. '
  'Without a foreign key to it: arb.purge_expired deletes both.';
comment on column arb.history.peak_at is
  'When the largest edge began; of equal edges the largest size, then the first. peak_cost, '
  'peak_size and peak_total_cost are its terms.';
comment on column arb.history.state_count is
  'Number of different sizes or costs, one after the other.';
comment on column arb.history.samples is
  '[{at, size, cost}] in order of time, at most 20: the first, the peak, the last, and others '
  'evenly between.';
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

create function arb.history_terms(p_opportunity arb.opportunities) returns table (
  opening arb.opportunity_states, peak arb.opportunity_states, state_count integer, samples jsonb
)
language sql stable
set search_path = ''
as $$
  with valid as (
    select s, s.from_at, s.size, s.cost, s.state_no,
           (s.size, s.cost) is distinct from (lag(s.size) over w, lag(s.cost) over w) as differs
    from arb.opportunity_states s
    where s.opportunity_id = p_opportunity.opportunity_id
      and s.from_at <= p_opportunity.closed_at
      and not s.retracted
    window w as (order by s.state_no)
  ), numbered as (
    select v.*, row_number() over (order by v.state_no) as n, count(*) over () as total,
           row_number() over (order by v.cost, v.size desc, v.state_no) as rank
    from valid v
    where v.differs
  )
  select (array_agg(n.s) filter (where n.n = 1))[1],
         (array_agg(n.s) filter (where n.rank = 1))[1],
         max(n.total)::integer,
         jsonb_agg(jsonb_build_object('at', n.from_at, 'size', n.size, 'cost', n.cost) order by n.n)
           filter (
             where n.total <= 20 or n.n in (1, n.total) or n.rank = 1 or n.n * 17 / n.total > (n.n - 1) * 17 / n.total
           )
  from numbered n
  having count(*) > 0
$$;
comment on function arb.history_terms(arb.opportunities) is
  'The valid terms of a closed opportunity as arb.history keeps them; no row when no state of it '
  'was valid.';

create function arb.write_history(p_step timestamptz, p_limit integer default 500) returns integer
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
  insert into arb.history (
    opportunity_id, group_id, pair_id, title, opened_at, closed_at, opening_cost, opening_size, opening_total_cost,
    peak_at, peak_cost, peak_size, peak_total_cost, state_count, samples
  )
  select o.opportunity_id, g.group_id, o.pair_id, p.title, o.opened_at, o.closed_at,
         (t.opening).cost, (t.opening).size, (t.opening).total_cost,
         (t.peak).from_at, (t.peak).cost, (t.peak).size, (t.peak).total_cost, t.state_count, t.samples
  from arb.opportunities o
  join catalog.pairs p on p.pair_id = o.pair_id
  join arb.history_groups g
    on g.category = p.category
    and g.market_type = p.market_type
    and g.sport is not distinct from p.sport
    and g.competition is not distinct from p.competition
    and g.close_reason = o.close_reason
  cross join lateral arb.history_terms(o) t
  where o.opportunity_id = any (v_ended)
    and o.retracted_at is null;
  return cardinality(v_ended);
end
$$;
comment on function arb.write_history(timestamptz, integer) is
  'Adds the opportunities that closed up to a step to the history, the oldest first, and removes '
  'retracted ones. Returns how many. Only the step calls it, one at a time.';
