-- A game that was moved: the two venues list the same two sides at the same ground on other days.
-- Where the two meet once at that ground in a season, it can only be one game. Such a pair is a
-- candidate and never published.

create function catalog.lone_fixtures(p_keys text[])
returns table (
  question_id text, venue venue.code, key text, competition text, first_side text, on_date date, legs bigint
)
language sql stable
set search_path = ''
set plan_cache_mode = force_custom_plan
as $$
  -- The order of the legs is the order of the league, so the first leg of both venues is the same
  -- side only where the same side is at home. Sports of persons have no ground.
  with games as materialized (
    select q.question_id, q.venue, q.key, q.identity ->> 'competition' as competition, q.on_date,
           -- Two listings of one day would give two pairs one id.
           count(*) over (partition by q.venue, q.key, q.on_date) as listed
    from venue.questions q
    where q.family = 'moneyline'
      and q.key = any (p_keys)
      and q.excluded_reason is null
      and q.identity ->> 'rematch' = 'later'
      and not q.identity ? 'names_person'
      and q.on_date is not null
      and q.home is not null
      -- A cup game under an unknown prefix is read as a game of the league of its teams.
      and (q.venue = 'venue_a' or q.identity ->> 'competition_by' = 'prefix')
  ), open_games as materialized (
    select g.question_id, g.venue, g.key, g.competition, g.on_date, count(*) as legs,
           (array_agg(l.outcome_key order by l.ordinal))[1] as first_side
    from games g
    join venue.legs l on l.question_id = g.question_id
    join venue.markets m on m.venue = g.venue and m.market_id = l.market_id
    where m.state in ('unopened', 'trading', 'paused')
      and g.listed = 1
    group by g.question_id, g.venue, g.key, g.competition, g.on_date
  ), counted as (
    select o.*, count(*) over (partition by o.venue, o.key, o.first_side) as games from open_games o
  )
  select c.question_id, c.venue, c.key, c.competition, c.first_side, c.on_date, c.legs
  from counted c
  where c.games = 1
$$;
comment on function catalog.lone_fixtures(text[]) is
  'Part of catalog.propose_moved_fixtures: each open game of these keys whose two sides have no '
  'other open game at that ground on that venue, in leagues that meet once at a ground.';

create function catalog.propose_moved_fixtures(p_candidates catalog.candidate[]) returns setof catalog.candidate
language plpgsql stable
set search_path = ''
set plan_cache_mode = force_custom_plan
as $$
declare
  v_keys text[];
  v_moved catalog.candidate[];
begin
  -- Two sides with an open game without a pair on each venue. In most passes there are few.
  v_keys := array(
    with chosen as materialized (
      select c.question_a, c.question_b from unnest(p_candidates) c where c.round is not null
    ), unpaired as materialized (
      select q.venue, q.key
      from venue.questions q
      where q.family = 'moneyline'
        and q.excluded_reason is null
        and not exists (select from chosen c where c.question_a = q.question_id)
        and not exists (select from chosen c where c.question_b = q.question_id)
    )
    select a.key
    from unpaired a
    where a.venue = 'venue_a'
    intersect
    select b.key
    from unpaired b
    where b.venue = 'venue_b'
  );
  if v_keys = '{}' then
    return query select * from unnest(p_candidates);
    return;
  end if;
  -- Joined by one key and one side, of which each venue has one game at most. 120 days: a cup or a
  -- winter break moves a game within a season, and the next season begins later.
  v_moved := array(
    with fixtures as materialized (
      select * from catalog.lone_fixtures(v_keys)
    ), chosen as materialized (
      select c.question_a as question_id
      from unnest(p_candidates) c
      where c.round is not null
      union
      select c.question_b
      from unnest(p_candidates) c
      where c.round is not null
    ), rejected as materialized (
      select c.question_a, c.question_b, c.rejected from unnest(p_candidates) c where c.rejected <> 'other_date'
    )
    select (
      a.question_id, b.question_id, 'moneyline', 'equal', b.on_date - a.on_date, null, 'later', 'moved_fixture', a.legs,
      b.legs, a.legs, 0, null, 1
    )::catalog.candidate
    from fixtures a
    join fixtures b on b.venue = 'venue_b' and b.key = a.key and b.first_side = a.first_side
    where a.venue = 'venue_a'
      -- A cup game of two clubs is no moved game of their league. Both have one key.
      and b.competition = a.competition
      and b.on_date <> a.on_date
      and abs(b.on_date - a.on_date) <= 120
      and a.legs = b.legs
      and not exists (select from chosen c where c.question_id = a.question_id)
      and not exists (select from chosen c where c.question_id = b.question_id)
      and not exists (
        select from rejected r where r.question_a = a.question_id and r.question_b = b.question_id
      )
  );
  return query
  select c.*
  from unnest(p_candidates) c
  where not exists (
    select from unnest(v_moved) m where m.question_a = c.question_a and m.question_b = c.question_b
  )
  union all
  select m.*
  from unnest(v_moved) m;
end
$$;
comment on function catalog.propose_moved_fixtures(catalog.candidate[]) is
  'Stage 3 of catalog.run_match_pass: the same candidates, with each moved game of a league that '
  'meets once at a ground chosen instead of rejected as other_date.';
