-- Candidates from text evidence: lists of runners that no registry decides, such as an election, an
-- award, a chart or the title of an unknown league. Two lists meet by three equal names in one
-- season, or by the two parties of one election.

create function catalog.titles_agree(p_a jsonb, p_b jsonb) returns boolean
language sql immutable
set search_path = ''
as $$
  -- Two thirds of the words of the shorter title are in the other, the numbers are equal ("top 5"),
  -- and no word that changes what is won is in one title alone.
  select p_a -> 'numbers' = p_b -> 'numbers'
    and not exists (
      select
      from unnest(array[
        'men', 'mens', 'women', 'womens', 'pole', 'fastest', 'last', 'relegated', 'relegation', 'top', 'stage',
        'runner', 'second', 'third', 'nominee', 'nominees', 'nomination', 'primary', 'finalist', 'finalists', 'make',
        'qualify', 'qualifier', 'qualifiers', 'advance', 'first', 'group', 'division', 'conference', 'east',
        'west', 'north', 'south', 'house', 'senate', 'governor', 'supporting', 'assists', 'goals', 'rookie', 'coach',
        'team', 'song', 'album', 'movie', 'show', 'us', 'global', 'worldwide', 'domestic', 'daily', 'weekly', 'monthly',
        'runoff', 'special', 'ballot', 'run', 'lose', 'margin', 'round', 'actor', 'actress', 'director'
      ]) w (word)
      where (p_a -> 'title') ? w.word <> (p_b -> 'title') ? w.word
    )
    and (
      select count(*) filter (where (p_b -> 'title') ? w.word) * 3
        >= least(jsonb_array_length(p_a -> 'title'), jsonb_array_length(p_b -> 'title')) * 2
      from jsonb_array_elements_text(p_a -> 'title') w (word)
    )
$$;
comment on function catalog.titles_agree(jsonb, jsonb) is
  'Whether the titles of two lists of runners may ask the same, by their words and numbers.';

create function catalog.races_agree(p_a jsonb, p_b jsonb) returns boolean
language sql immutable
set search_path = ''
as $$
  -- A title that a grammar knows meets only a title that asks the same in canonical terms. Words
  -- of an event are compared as well, because one person speaks at several events of a day.
  select case
    when p_a ->> 'contest' is null and p_b ->> 'contest' is null then catalog.titles_agree(p_a, p_b)
    when p_a ->> 'contest' is distinct from p_b ->> 'contest' then false
    when p_a -> 'exact' = 'true' and p_b -> 'exact' = 'true' then true
    else (
      select count(*) filter (where (p_b -> 'title') ? w.word) * 3
        >= greatest(jsonb_array_length(p_a -> 'title'), jsonb_array_length(p_b -> 'title')) * 2
      from jsonb_array_elements_text(p_a -> 'title') w (word)
    )
  end
$$;
comment on function catalog.races_agree(jsonb, jsonb) is
  'Whether two lists of runners may ask the same: by their contest in canonical terms, else by '
  'the words of their titles.';

create function catalog.race_periods_agree(p_a jsonb, p_b jsonb, p_close_b timestamptz) returns boolean
language sql immutable
set search_path = ''
as $$
  -- A year in common; of an election, only one year and the same. Where a listing names its day,
  -- the other ends near it.
  select case
    when p_a ->> 'contest' like 'election|%'
      then jsonb_array_length(p_a -> 'years') = 1 and p_a -> 'years' = p_b -> 'years'
    else exists (
      select
      from jsonb_array_elements(p_a -> 'years') ya
      join jsonb_array_elements(p_b -> 'years') yb on yb = ya
    )
  end
    and (
      p_a -> 'day' = 'null'
      or abs((p_a ->> 'day')::date - coalesce((p_b ->> 'day')::date, (p_close_b at time zone 'UTC')::date)) <= 2
    )
$$;
comment on function catalog.race_periods_agree(jsonb, jsonb, timestamptz) is
  'Whether two lists of runners are of one season: their years, and their days where one names a '
  'day.';

create function catalog.met_races() returns table (question_a text, question_b text, legs bigint, parties bigint)
language sql stable
set search_path = ''
set plan_cache_mode = force_custom_plan
as $$
  -- Both joins are bounded: a name on more than 100 lists of one venue ("Yes", "Republican") and a
  -- contest on more than 10 distinguish nothing and are not used.
  with races as materialized (
    select q.question_id, q.venue, q.identity -> 'evidence' as evidence,
           (q.identity #>> '{evidence,contest}') || '|' || (q.identity #>> '{evidence,years}') as election
    from venue.questions q
    where q.family = 'outright'
      and q.identity ? 'evidence'
      and q.excluded_reason = 'unconfirmed_league'
  ), runners as materialized (
    select r.venue, r.question_id, l.outcome_key
    from races r
    join venue.legs l on l.question_id = r.question_id
  ), common_names as materialized (
    select r.outcome_key from runners r group by r.venue, r.outcome_key having count(*) > 100
  ), common_elections as materialized (
    select r.election from races r where r.election like 'election|%' group by r.venue, r.election having count(*) > 10
  ), by_names as materialized (
    select a.question_id as question_a, b.question_id as question_b, count(*) as legs
    from runners a
    join runners b on b.venue = 'venue_b' and b.outcome_key = a.outcome_key
    where a.venue = 'venue_a'
      and not exists (select from common_names c where c.outcome_key = a.outcome_key)
    group by a.question_id, b.question_id
    having count(*) >= 3
  ), by_election as materialized (
    select a.question_id as question_a, b.question_id as question_b
    from races a
    join races b on b.venue = 'venue_b' and b.election = a.election
    where a.venue = 'venue_a'
      and a.election like 'election|%'
      and not exists (select from common_elections c where c.election = a.election)
  ), met as materialized (
    select n.question_a, n.question_b
    from by_names n
    union
    select e.question_a, e.question_b
    from by_election e
  )
  select m.question_a, m.question_b, count(*), count(*) filter (where a.outcome_key in ('democratic', 'republican'))
  from met m
  join runners a on a.question_id = m.question_a
  join runners b on b.question_id = m.question_b and b.outcome_key = a.outcome_key
  group by m.question_a, m.question_b
$$;
comment on function catalog.met_races() is
  'Part of catalog.find_evidence_races: lists of runners that share three names or one election, '
  'with the number of their equal runners and of the two parties among them.';

create function catalog.find_evidence_races() returns setof catalog.candidate
language plpgsql stable
set search_path = ''
set plan_cache_mode = force_custom_plan
as $$
declare
  v_open catalog.candidate[];
begin
  v_open := array(
    with met as materialized (
      select * from catalog.met_races()
    ), compared as materialized (
      -- Materialized, so that only lists that met are compared.
      select m.question_a, m.question_b, m.legs, m.parties, a.identity -> 'evidence' as a,
             b.identity -> 'evidence' as b,
             b.close_at as close_b,
             (select count(*) from venue.legs l where l.question_id = m.question_a) as legs_a,
             (select count(*) from venue.legs l where l.question_id = m.question_b) as legs_b
      from met m
      join venue.questions a on a.question_id = m.question_a
      join venue.questions b on b.question_id = m.question_b
    )
    select (
      c.question_a, c.question_b, 'outright', 'shared', null, null, 'later', 'period', c.legs_a, c.legs_b, c.legs,
      c.legs::numeric / greatest(c.legs_a, c.legs_b), null, null
    )::catalog.candidate
    from compared c
    where (c.parties = 2 or c.legs >= 3)
      -- Lists of one contest may differ in most names: each venue chooses its own words.
      and (c.parties = 2 or c.a -> 'exact' = 'true' or c.legs * 2 >= least(c.legs_a, c.legs_b))
      -- Where one listing does not say whether several can win, the other decides nothing.
      and coalesce(c.a -> 'exclusive' = c.b -> 'exclusive' or 'null' in (c.a -> 'exclusive', c.b -> 'exclusive'), true)
      and catalog.races_agree(c.a, c.b)
      and catalog.race_periods_agree(c.a, c.b, c.close_b)
  );
  return query select * from catalog.best_partners(v_open, 1);
end
$$;
comment on function catalog.find_evidence_races() is
  'Stage 3 of catalog.run_match_pass: lists of runners that no registry decides, paired by three '
  'or more equal names in one season or by the two parties of one election, one to one.';
