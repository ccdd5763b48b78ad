-- The ids by which /v2/lookup finds a pair: tickers, tokens, condition ids and slugs of the venues.
-- A step that renders a changed identity writes them, so the same id finds the same pairs within a
-- step. The tables of the catalog have no index on these ids: each would slow down a match pass.

create table price.venue_ids (
  pair_id uuid not null,
  folded_id text not null,
  kind text not null check (kind in ('ticker', 'token_id', 'condition_id', 'event_ticker', 'slug')),
  outcome text,
  side text check (side in ('yes', 'no')),
  unique nulls not distinct (pair_id, folded_id, kind, outcome, side)
);
comment on table price.venue_ids is
  'The ids of the venues for each pair of price.snapshot, in lower case.';
comment on column price.venue_ids.outcome is
  'The key of the outcome that the contract prices; null for an id that names no single outcome.';
comment on column price.venue_ids.side is 'The side of the ticker that pays for the outcome.';
create index venue_ids_by_id on price.venue_ids (folded_id);

alter table price.venue_ids enable row level security;
alter table price.venue_ids force row level security;
create policy "the api reads ids of the venues" on price.venue_ids for select to parallax_api using (true);
grant select on price.venue_ids to parallax_api;

create function price.venue_ids_of(p_pairs uuid[]) returns setof price.venue_ids
language sql stable
set search_path = ''
as $$
  with wanted as materialized (
    select p.pair_id, p.event_a, p.condition_b, p.slug, p.slug_b
    from unnest(p_pairs) u (pair_id)
    join catalog.pairs p on p.pair_id = u.pair_id
  ), legs as materialized (
    select o.*
    from wanted w
    join catalog.outcomes o on o.pair_id = w.pair_id
  ), listed as (
    select l.pair_id, l.contract_a as id, 'ticker' as kind, l.key as outcome, coalesce(l.side_a, 'yes') as side
    from legs l
    union all
    select r.pair_id, r.contract_a, 'ticker', null, null
    from wanted w
    join catalog.strikes r on r.pair_id = w.pair_id
    where not exists (select from legs l where l.pair_id = r.pair_id and l.contract_a = r.contract_a)
    union all
    select l.pair_id, l.contract_b, 'token_id', l.key, null
    from legs l
    union all
    -- A condition with a token for each of two outcomes names neither.
    select c.pair_id, c.id, 'condition_id', case when count(distinct c.key) = 1 then min(c.key) end, null
    from (
      select l.pair_id, l.market_b as id, l.key
      from legs l
      union all
      select w.pair_id, w.condition_b, l.key
      from wanted w
      join legs l on l.pair_id = w.pair_id and l.market_b is null
    ) c
    group by c.pair_id, c.id
    union all
    select w.pair_id, v.id, v.kind, null, null
    from wanted w
    cross join lateral (
      values (w.event_a, 'event_ticker'), (w.slug, 'slug'), (w.slug_b, 'slug')
    ) v (id, kind)
  )
  select distinct l.pair_id, lower(l.id), l.kind, l.outcome, l.side
  from listed l
  where l.id is not null
$$;
comment on function price.venue_ids_of(uuid[]) is
  'The rows of price.venue_ids from the current catalog.';

revoke all on function price.venue_ids_of(uuid[]) from public;
