-- Candidates from text evidence: lists of runners that no registry decides, such as an election, an
-- award or the title of an unknown league. Two lists meet by equal full names in one season.

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
        'team', 'song', 'album'
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

create function catalog.find_evidence_races() returns setof catalog.candidate
language plpgsql stable
set search_path = ''
set plan_cache_mode = force_custom_plan
as $$
declare
  v_open catalog.candidate[];
begin
  v_open := array(
    with races as materialized (
      select q.question_id, q.venue, q.close_at, q.exclusive, q.identity -> 'evidence' as evidence
      from venue.questions q
      where q.family = 'outright'
        and q.identity ? 'evidence'
        and q.excluded_reason = 'unconfirmed_league'
    ), runners as materialized (
      select r.venue, r.question_id, l.outcome_key
      from races r
      join venue.legs l on l.question_id = r.question_id
    ), crowded as materialized (
      -- A name on more than 100 lists of one venue ("Yes", "Republican") distinguishes nothing.
      select r.outcome_key from runners r group by r.venue, r.outcome_key having count(*) > 100
    ), shared as materialized (
      select a.question_id as question_a, b.question_id as question_b, count(*) as legs
      from runners a
      join runners b on b.venue = 'venue_b' and b.outcome_key = a.outcome_key
      where a.venue = 'venue_a'
        and not exists (select from crowded c where c.outcome_key = a.outcome_key)
      group by a.question_id, b.question_id
      having count(*) >= 3
    ), sizes as materialized (
      select r.question_id, count(*) as legs from runners r group by r.question_id
    )
    select (
      s.question_a, s.question_b, 'outright', 'shared', null, null, 'later', 'period', x.legs, y.legs, s.legs,
      s.legs::numeric / greatest(x.legs, y.legs), null, null
    )::catalog.candidate
    from shared s
    join sizes x on x.question_id = s.question_a
    join sizes y on y.question_id = s.question_b
    join races a on a.question_id = s.question_a
    join races b on b.question_id = s.question_b
    where s.legs * 2 >= least(x.legs, y.legs)
      and a.exclusive = b.exclusive
      -- One season: a year in common, and where a listing names its day, the other ends near it.
      and exists (
        select
        from jsonb_array_elements(a.evidence -> 'years') ya
        join jsonb_array_elements(b.evidence -> 'years') yb on yb = ya
      )
      and (
        a.evidence -> 'day' = 'null'
        or abs((a.evidence ->> 'day')::date - coalesce((b.evidence ->> 'day')::date, b.close_at::date)) <= 2
      )
      and catalog.titles_agree(a.evidence, b.evidence)
  );
  return query select * from catalog.best_partners(v_open, 1);
end
$$;
comment on function catalog.find_evidence_races() is
  'Stage 3 of catalog.run_match_pass: lists of runners that no registry decides, paired by three '
  'or more equal full names in one season, if each is strictly the best of the other.';
