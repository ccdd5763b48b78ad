-- Look-alikes that were not paired, each with a code and a sentence as evidence that they were
-- considered.

create function catalog.find_rejected_candidates(p_candidates catalog.candidate[])
returns table (question_a text, question_b text, code text, detail text, evidence jsonb)
language plpgsql volatile
set search_path = ''
set plan_cache_mode = force_custom_plan
as $$
begin
  return query
  select c.question_a, c.question_b, c.rejected,
         case c.rejected
           when 'other_date'
             then format(
               'Otherwise alike, %s apart.', case abs(c.days) when 1 then 'a day' else abs(c.days) || ' days' end
             )
           when 'rematch_next_day'
             then 'Same participants, a day apart, and they meet on consecutive days: without a start it is not '
                  'known which game it is.'
           when 'other_hour' then 'The same day, but another hour is decided upon.'
           when 'other_unit' then 'One ladder counts in other units than the other.'
           when 'other_competition' then 'The same sides and day, but each venue names another competition.'
           when 'other_person' then 'The same family names, but other given names.'
           when 'other_start' then format('Same participants, starts %s minutes apart.', round(abs(c.minutes)))
           when 'other_game' then 'Another game of a doubleheader.'
           when 'legs_differ'
             then format('%s outcomes against %s, of which %s are the same.', c.legs_a, c.legs_b, c.legs_both)
           when 'same_occasion' then 'Another listing of the same participants on the same occasion holds the place.'
           when 'duplicate_listing'
             then 'The same question is listed twice for this occasion; the earlier listing holds the place.'
           when 'refused_by_review' then 'A person saw both listings and refused the pair.'
           when 'better_partner' then 'One of the two has a partner with better evidence.'
           else 'Several listings fit equally well.'
         end,
         jsonb_strip_nulls(
           jsonb_build_object('days', c.days, 'minutes', round(c.minutes), 'legs_a', c.legs_a, 'legs_b', c.legs_b)
         )
  from unnest(p_candidates) c
  where c.rejected is not null;
end
$$;
comment on function catalog.find_rejected_candidates(catalog.candidate[]) is
  'Part of catalog.run_match_pass: questions with equal keys that a rule rejected.';

-- No merge joins: they sort whole rows by the participants, which costs more than hashing.
create function catalog.find_lookalike_games()
returns table (question_a text, question_b text, code text, detail text, evidence jsonb)
language sql stable
set search_path = ''
set enable_mergejoin = off
as $$
  -- The same two sides around the same day, but another kind of game: an exhibition, a part of a
  -- game (a half, a map, a set), or a series.
  select a.question_id, b.question_id,
         case
           when 'part_of_game' in (a.excluded_reason, b.excluded_reason) then 'part_of_game'
           when a.identity ->> 'stage' <> b.identity ->> 'stage' then 'other_stage'
           else 'other_scope'
         end,
         format(
           '%s, %s against %s, %s.', a.identity ->> 'stage', a.identity ->> 'scope', b.identity ->> 'stage',
           b.identity ->> 'scope'
         ),
         '{}'::jsonb
  from venue.questions a
  join venue.questions b
    on b.venue = 'venue_b'
    and b.identity -> 'participants' = a.identity -> 'participants'
    and b.sport = a.sport
    and (b.identity ->> 'stage' <> a.identity ->> 'stage' or b.identity ->> 'scope' <> a.identity ->> 'scope')
    and (b.family = a.family or (a.family in ('moneyline', 'advance') and b.family in ('moneyline', 'advance')))
    and (abs(b.on_date - a.on_date) <= 1 or a.on_date is null or b.on_date is null)
    and (b.excluded_reason is null or b.excluded_reason = 'part_of_game')
  where a.venue = 'venue_a'
    and a.family in ('moneyline', 'advance')
    and (a.excluded_reason is null or a.excluded_reason = 'part_of_game')
    and not (a.excluded_reason is not null and b.excluded_reason is not null)
$$;
comment on function catalog.find_lookalike_games() is
  'Part of catalog.run_match_pass: the same sides, but another stage, a part of the game, or a '
  'series.';

create function catalog.find_lookalike_names(p_candidates catalog.candidate[])
returns table (question_a text, question_b text, code text, detail text, evidence jsonb)
language plpgsql volatile
set search_path = ''
set plan_cache_mode = force_custom_plan
as $$
begin
  -- A person with two family names, of which each venue may print another. It may be the same
  -- match; only the registry can decide that.
  return query
  with called as (
    select q.venue, q.question_id, q.family, q.on_date, q.title, q.key, n.key as as_well
    from venue.questions q
    cross join lateral (
      select q.key
      union all
      select jsonb_array_elements_text(q.identity -> 'also')
    ) n
    where q.excluded_reason is null
      and q.family = 'moneyline'
      and q.sport in (select distinct o.sport from venue.questions o where o.identity ? 'also')
  )
  select distinct a.question_id, b.question_id, 'other_name',
         format('%s against %s: perhaps one person under two family names.', a.title, b.title), '{}'::jsonb
  from called a
  join called b on b.as_well = a.as_well
    and b.family = a.family
    and b.key <> a.key
    and b.venue = 'venue_b'
    and abs(b.on_date - a.on_date) <= 1
  where a.venue = 'venue_a'
    and not exists (select from unnest(p_candidates) c where c.round is not null and c.question_a = a.question_id)
    and not exists (select from unnest(p_candidates) c where c.round is not null and c.question_b = b.question_id);
end
$$;
comment on function catalog.find_lookalike_names(catalog.candidate[]) is
  'Part of catalog.run_match_pass: matches of persons who may be the same under another name. '
  'Never paired.';

create function catalog.find_lookalike_lines(p_candidates catalog.candidate[])
returns table (question_a text, question_b text, code text, detail text, evidence jsonb)
language plpgsql volatile
set search_path = ''
set plan_cache_mode = force_custom_plan
as $$
begin
  -- For a line without an equal line on the other venue: the nearest line of the same kind of the
  -- same game.
  return query
  select n.question_a, n.question_b, 'other_line', format('Line %s against %s.', n.line_a, n.line_b), '{}'::jsonb
  from (
    select distinct on (a.question_id) a.question_id as question_a, b.question_id as question_b, a.line as line_a,
           b.line as line_b
    from venue.questions a
    join venue.questions b
      on b.game_key = a.game_key
      and b.family = a.family
      and b.identity -> 'team' is not distinct from a.identity -> 'team'
      and b.line <> a.line
      and abs(b.on_date - a.on_date) <= 1
      and b.venue = 'venue_b'
      and b.excluded_reason is null
    where a.venue = 'venue_a'
      and a.excluded_reason is null
      and a.family in ('total', 'spread', 'team_total')
      and not exists (select from unnest(p_candidates) c where c.question_a = a.question_id)
    order by a.question_id, abs(b.line - a.line), b.question_id
  ) n;
end
$$;
comment on function catalog.find_lookalike_lines(catalog.candidate[]) is
  'Part of catalog.run_match_pass: for a line that the other venue does not list, its nearest '
  'line.';

create function catalog.find_lookalike_races()
returns table (question_a text, question_b text, code text, detail text, evidence jsonb)
language sql stable
set search_path = ''
as $$
  -- A division, a conference and a championship have the same runners, and so have two seasons.
  select a.question_id, b.question_id,
         case when a.identity ->> 'award' = b.identity ->> 'award' then 'other_year' else 'other_award' end,
         format(
           '%s %s against %s %s.', a.identity ->> 'award', a.identity ->> 'year', b.identity ->> 'award',
           b.identity ->> 'year'
         ), '{}'::jsonb
  from venue.questions a
  join venue.questions b
    on b.family = 'outright'
    and b.competition = a.competition
    and b.identity ->> 'kind' = a.identity ->> 'kind'
    and b.key <> a.key
    and (b.identity ->> 'award' = a.identity ->> 'award' or b.identity ->> 'year' = a.identity ->> 'year')
    and b.venue = 'venue_b'
    and b.excluded_reason is null
  where a.venue = 'venue_a'
    and a.excluded_reason is null
    and a.family = 'outright'
$$;
comment on function catalog.find_lookalike_races() is
  'Part of catalog.run_match_pass: the same runners, but another award or another season.';

create function catalog.period_start(p_period text) returns date
language sql immutable strict
set search_path = ''
as $$
  select case
    when p_period ~ '^20\d\d-(0[1-9]|1[0-2])$'
      then make_date(left(p_period, 4)::integer, right(p_period, 2)::integer, 1)
    when p_period ~ '^20\d\d-Q[1-4]$' then make_date(left(p_period, 4)::integer, 3 * right(p_period, 1)::integer - 2, 1)
    when p_period ~ '^20\d\d$' then make_date(p_period::integer, 1, 1)
  end
$$;
comment on function catalog.period_start(text) is
  'First day of 2026-07, 2026-Q2 or 2026; null for any other text.';

create function catalog.find_lookalike_ladders(p_candidates catalog.candidate[])
returns table (question_a text, question_b text, code text, detail text, evidence jsonb)
language plpgsql volatile
set search_path = ''
set plan_cache_mode = force_custom_plan
as $$
begin
  -- For a ladder without a pair: the look-alike of each kind that is nearest in time, such as the
  -- low and the high of a city, a touch and a level at an hour, a monthly and a yearly change, or
  -- another meeting.
  return query
  with ladders as (
    select q.venue, q.question_id, q.family, q.key, q.title, q.identity,
           case when q.family in ('weather_high', 'weather_low') then 'weather' else q.family::text end as kin,
           coalesce(q.location, q.asset, q.institution, q.identity ->> 'country') as about,
           coalesce(q.on_date, catalog.period_start(coalesce(q.identity ->> 'period', q.identity ->> 'meeting'))) as day
    from venue.questions q
    where q.excluded_reason is null
      and q.family in (select f.family from catalog.market_families() f where f.occasion = 'day')
  ), alike as (
    select a.question_id as question_a, b.question_id as question_b, a.title as title_a, b.title as title_b,
           abs(b.day - a.day) as days,
           case
             when a.family <> b.family then 'other_measure'
             when a.identity ->> 'kind' <> b.identity ->> 'kind' and a.family = 'crypto_above' then 'other_kind'
             when a.identity ->> 'indicator' <> b.identity ->> 'indicator' then null
             when (a.identity ->> 'basis', a.identity ->> 'core')
               is distinct from (b.identity ->> 'basis', b.identity ->> 'core')
               then 'other_basis'
             else 'other_period'
           end as code
    from ladders a
    join ladders b on b.kin = a.kin and b.about = a.about and b.key <> a.key and b.venue = 'venue_b'
    where a.venue = 'venue_a'
      and not exists (select from unnest(p_candidates) c where c.question_b = b.question_id and c.round is not null)
      and (a.kin <> 'weather' or b.day = a.day)
  )
  select distinct on (k.question_b, k.code) k.question_a, k.question_b, k.code,
         format('%s against %s.', k.title_a, k.title_b), '{}'::jsonb
  from alike k
  where k.code is not null
  order by k.question_b, k.code, k.days nulls last, k.question_a;
end
$$;
comment on function catalog.find_lookalike_ladders(catalog.candidate[]) is
  'Part of catalog.run_match_pass: ladders about the same city, asset, bank or country with '
  'another question.';

create function catalog.record_lookalikes(p_candidates catalog.candidate[]) returns integer
language plpgsql volatile
set search_path = ''
set plan_cache_mode = force_custom_plan
as $$
declare
  v_now timestamptz := clock.now();
  v_found catalog.rejections[];
  v_count integer;
begin
  v_found := array(
    select row(f.question_a, f.question_b, f.code, f.detail, f.evidence, v_now)::catalog.rejections
    from (
      select *
      from catalog.find_rejected_candidates(p_candidates)
      union all
      select *
      from catalog.find_lookalike_games()
      union all
      select *
      from catalog.find_lookalike_names(p_candidates)
      union all
      select *
      from catalog.find_lookalike_lines(p_candidates)
      union all
      select *
      from catalog.find_lookalike_races()
      union all
      select *
      from catalog.find_lookalike_ladders(p_candidates)
    ) f
  );

  delete from catalog.rejections r
  where not exists (
    select from unnest(v_found) n where n.question_a = r.question_a and n.question_b = r.question_b and n.code = r.code
  );
  insert into catalog.rejections as r (question_a, question_b, code, detail, evidence, seen_at)
  select distinct on (n.question_a, n.question_b, n.code) n.*
  from unnest(v_found) n
  on conflict (question_a, question_b, code) do update
  set detail = excluded.detail,
      evidence = excluded.evidence,
      seen_at = excluded.seen_at
  where (r.detail, r.evidence) is distinct from (excluded.detail, excluded.evidence);
  select count(*) into v_count from catalog.rejections;
  return v_count;
end
$$;
comment on function catalog.record_lookalikes(catalog.candidate[]) is
  'Stage 3 of catalog.run_match_pass: writes every rejected look-alike with code and sentence. '
  'Returns the number of current ones.';
