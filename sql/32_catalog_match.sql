-- The match pass: joins questions on identity, weighs named signals, pairs one to one, and writes
-- only changes.

create function catalog.moved_onto(a venue.questions, b venue.questions) returns boolean
language plpgsql stable
set search_path = ''
as $$
declare
  v_text_a date := a.terms ->> 'scheduled_date';
  v_text_b date := b.terms ->> 'scheduled_date';
  v_own_a date := coalesce(v_text_a, a.on_date);
  v_day_a date := (a.start_at at time zone 'America/New_York')::date;
  v_day_b date := (b.start_at at time zone 'America/New_York')::date;
  v_utc_b date := (b.start_at at time zone 'UTC')::date;
begin
  -- A text names the day that a game was listed for. A night game has its New York or its UTC date;
  -- a game with any other date was moved.
  if v_text_b is not null then
    if v_text_b <> v_own_a and v_text_b not in (v_day_b, v_utc_b) then
      return true;
    end if;
    return coalesce(v_own_a <> v_day_a and v_own_a <> v_text_b and v_text_b in (v_day_b, v_utc_b), false);
  end if;
  -- Without a date in a text, compare the dates of ticker and slug, if the other venue also lists
  -- the game of that day. No time zone dates a game before New York does; Asia dates it a day
  -- later.
  if b.on_date < v_day_b and b.on_date <> v_own_a then
    return exists (
      select
      from venue.questions q
      where q.venue = 'venue_a'
        and q.family = a.family
        and q.key = a.key
        and q.on_date = b.on_date
        and q.excluded_reason is null
    );
  end if;
  if v_own_a <> v_day_a and v_own_a <> b.on_date then
    return exists (
      select
      from venue.questions q
      where q.venue = 'venue_b'
        and q.family = b.family
        and q.key = b.key
        and q.on_date = v_own_a
        and q.excluded_reason is null
    );
  end if;
  return false;
end
$$;
comment on function catalog.moved_onto(venue.questions, venue.questions) is
  'Whether one of two questions with the same start was listed for another day and moved to this '
  'start. A postponed game is not the next day''s game, even if both begin together.';

-- Hash joins only: merge joins sort thousands of whole rows by text, and nested loops look up the
-- legs of each candidate. Both cost more.
create function catalog.evaluate_candidates() returns setof catalog.candidate
language plpgsql stable
set search_path = ''
set enable_mergejoin = off
set enable_nestloop = off
as $$
begin
  -- Equal keys find candidates. Dates and starts separate the games of the same two teams.
  -- Look-alikes within two days are kept as rejections; the rest of the season is ignored.
  return query
  with near as (
    select a.question_id as question_a, b.question_id as question_b, f.family, f.day_slack, f.outcomes as wanted,
           b.on_date - a.on_date as days,
           extract(epoch from b.start_at - a.start_at) / 60 as minutes,
           a.game_no <> b.game_no as other_game,
           left(a.identity ->> 'settles_at', 13) <> left(b.identity ->> 'settles_at', 13) as other_hour,
           a.identity ->> 'unit' <> b.identity ->> 'unit' as other_unit,
           (
             a.identity -> 'prefixed' = 'true' and b.identity ->> 'competition_by' = 'prefix'
             and a.identity ->> 'competition' <> b.identity ->> 'competition'
           )
             -- The same sides in another format of the sport (T20, ODI).
             or coalesce(a.identity ->> 'format' <> b.identity ->> 'format', false) as other_competition,
           catalog.is_other_person(
             a.identity -> 'participants_full', b.identity -> 'participants_full'
           ) as other_person,
           catalog.short_name(a.identity -> 'participants_full', b.identity -> 'participants_full') as short_name,
           coalesce(a.identity ->> 'rematch', 'later') as rematch,
           -- A night game under its UTC date.
           b.start_at is null and (a.start_at at time zone 'UTC')::date = b.on_date as utc_date,
           -- Checked only for equal starts: only a game with the start of another game can have
           -- been moved onto it. Where the dates of both listings and of the start are equal, none
           -- was.
           case
             when (abs(extract(epoch from b.start_at - a.start_at)) <= 900) is not true then false
             when d.day_b = d.day_a and (a.start_at at time zone 'America/New_York')::date = d.day_a then false
             else catalog.moved_onto(a, b)
           end as moved_onto,
           -- A tournament draw is played once, and rain delays a match by days. Such a pair is a
           -- candidate where no text names another day.
           a.sport = 'tennis'
             and a.terms ->> 'scheduled_date' is null
             and abs(b.on_date - a.on_date) <= 3 as rain_delay,
           case
             when a.identity ->> 'start_source' = 'ticker_time' then interval '3 hours'
             else interval '2 hours'
           end as schedule_moves,
           -- A ladder of ranges can match in full, a ladder of thresholds only supports bounds.
           case when a.identity ->> 'kind' = 'above' and f.outcomes = 'buckets' then 1 else 0 end as second_choice,
           -- Prefer a line of the main event to its copy under "More Markets".
           b.identity ->> 'sibling' is not null as copied
    from venue.questions a
    join catalog.market_families() f on f.family = a.family
    join venue.questions b on b.family = a.family
      and b.key = a.key
      and b.venue = 'venue_b'
      and b.excluded_reason is null
    cross join lateral (
      select coalesce((a.terms ->> 'scheduled_date')::date, a.on_date) as day_a,
             coalesce((b.terms ->> 'scheduled_date')::date, b.on_date) as day_b
    ) d
    where a.venue = 'venue_a'
      and a.excluded_reason is null
      and (
        a.on_date is null
        or b.on_date is null
        or abs(b.on_date - a.on_date) <= f.day_slack + case when a.sport is null then 1 else 2 end
        or abs(extract(epoch from b.start_at - a.start_at)) <= 900
      )
  ), dated as (
    select n.*,
           case
             when other_game then 'other_game'
             when other_person and (short_name is not true or days is distinct from 0) then 'other_person'
             when other_competition then 'other_competition'
             -- Equal starts mean the same game, with any day in either listing.
             when abs(minutes) <= 15 and not moved_onto and not coalesce(other_person, false) then 'same_start'
             when moved_onto then 'other_date'
             when other_person then 'short_name'
             when abs(days) > day_slack and rain_delay and rematch = 'later' then 'days_apart'
             when abs(days) > day_slack then 'other_date'
             when other_hour then 'other_hour'
             when other_unit then 'other_unit'
             when abs(minutes) * interval '1 minute' <= schedule_moves then 'near_start'
             when abs(minutes) > 1440 then 'other_start'
             when minutes is not null and rematch = 'same_day' then 'other_start'
             when minutes is not null and days = 0 then 'moved_start'
             when minutes is not null and rematch = 'later' then 'moved_start'
             when minutes is not null then 'other_start'
             when days = 0 then 'same_date'
             when days is null then 'period'
             when rematch = 'later' or (rematch = 'next_day' and utc_date) then 'next_date'
             else 'rematch_next_day'
           end as occasion
    from near n
  ), sizes as (
    select l.question_id, count(*) as legs
    from venue.legs l
    group by l.question_id
  ), shared as (
    select t.question_a, t.question_b, count(*) as legs
    from dated t
    join venue.legs l on l.question_id = t.question_a
    join venue.legs m on m.question_id = t.question_b and m.outcome_key = l.outcome_key
    group by t.question_a, t.question_b
  ), counted as (
    select t.*, coalesce(a.legs, 0) as legs_a, coalesce(b.legs, 0) as legs_b, coalesce(s.legs, 0) as legs_both
    from dated t
    left join sizes a on a.question_id = t.question_a
    left join sizes b on b.question_id = t.question_b
    left join shared s on s.question_a = t.question_a and s.question_b = t.question_b
  )
  select c.question_a, c.question_b, c.family, c.wanted, c.days, c.minutes, c.rematch, c.occasion, c.legs_a, c.legs_b,
         c.legs_both,
         case occasion
           when 'same_start' then 5
           when 'near_start' then 4
           when 'same_date' then 3
           when 'period' then 3
           when 'moved_start' then 2
           else 1
         end - second_choice
           -- Of two ladders that fit equally well, prefer the one with more shared strikes.
           + case when wanted = 'equal' then 0 else least(legs_both, 999) / 1000.0 end
           - case when copied then 0.0005 else 0 end as rank,
         case
           when occasion in (
             'other_game', 'other_person', 'other_competition', 'other_date', 'other_start', 'other_hour', 'other_unit',
             'rematch_next_day'
           ) then occasion
           when legs_a = 0 or legs_b = 0 then 'legs_differ'
           when wanted = 'equal' and (legs_both <> legs_a or legs_both <> legs_b) then 'legs_differ'
           when wanted in ('shared', 'twins', 'choices') and legs_both = 0 then 'legs_differ'
           when wanted = 'buckets' and second_choice = 0 and legs_both = 0 then 'legs_differ'
         end as rejected,
         null::integer as round
  from counted c;
end
$$;
comment on function catalog.evaluate_candidates() is
  'Stage 1 of catalog.run_match_pass: all pairs of questions with equal keys and near dates, with '
  'their shared occasion or the code of the rejection.';

create function catalog.best_partners(p_open catalog.candidate[], p_round integer) returns setof catalog.candidate
language sql stable
set search_path = ''
set plan_cache_mode = force_custom_plan
as $$
  with ranked as (
    select o.*,
           rank() over (partition by o.question_a order by o.rank desc) as place_a,
           rank() over (partition by o.question_b order by o.rank desc) as place_b,
           count(*) over (partition by o.question_a, o.rank) as ties_a,
           count(*) over (partition by o.question_b, o.rank) as ties_b
    from unnest(p_open) o
  )
  select r.question_a, r.question_b, r.family, r.wanted, r.days, r.minutes, r.rematch, r.occasion, r.legs_a, r.legs_b,
         r.legs_both, r.rank, r.rejected, p_round
  from ranked r
  where r.place_a = 1
    and r.place_b = 1
    and r.ties_a = 1
    and r.ties_b = 1
$$;
comment on function catalog.best_partners(catalog.candidate[], integer) is
  'Undecided candidates whose two questions are each other''s strictly best partner. Two equally '
  'good partners give no pair.';

create function catalog.choose_pairs(p_candidates catalog.candidate[]) returns setof catalog.candidate
language plpgsql stable
set search_path = ''
set plan_cache_mode = force_custom_plan
as $$
declare
  v_duplicates catalog.candidate[];
  v_open catalog.candidate[];
  v_picked catalog.candidate[];
  v_chosen catalog.candidate[] := '{}';
begin
  -- venue_b may list a game twice, with a number added to the second slug: keep the shorter,
  -- earlier one. Where the same sides can play twice in a day, only an equal start shows that it is
  -- one game.
  v_duplicates := array(
    select d.candidate
    from (
      select c.candidate,
             row_number() over (
               partition by c.question_a, c.rank, b.on_date, b.start_at, b.game_no
               order by length(b.event_id), b.event_id, b.question_id
             ) as place
      from (
        select u as candidate, u.*, count(*) over (partition by u.question_a) as candidates
        from unnest(p_candidates) u
        where u.rejected is null
      ) c
      join venue.questions b on b.question_id = c.question_b
      where c.candidates > 1
        and c.family in (select f.family from catalog.market_families() f where f.occasion = 'game')
        and b.on_date is not null
        and (c.rematch <> 'same_day' or b.start_at is not null)
    ) d
    where d.place > 1
  );
  v_open := array(
    select c
    from unnest(p_candidates) c
    where c.rejected is null
      and not exists (
        select from unnest(v_duplicates) d where d.question_a = c.question_a and d.question_b = c.question_b
      )
  );

  -- Questions that remain may pair in a later round, which lowers the confidence.
  for v_round in 1..3 loop
    v_picked := array(select b from catalog.best_partners(v_open, v_round) b);
    exit when v_picked = '{}';
    v_chosen := v_chosen || v_picked;
    v_open := array(
      select o
      from unnest(v_open) o
      where not exists (select from unnest(v_picked) c where c.question_a = o.question_a)
        and not exists (select from unnest(v_picked) c where c.question_b = o.question_b)
    );
  end loop;

  return query
  with chosen as materialized (
    select c.question_a, c.question_b, c.round,
           -- Two listings of one occasion (a game that is listed again next to its old listing)
           -- would get the same id and overwrite each other. The earlier listing keeps the id.
           row_number() over (
             partition by a.family, a.key, catalog.occasion_of(a.identity, a.on_date, a.game_no)
             order by a.start_at nulls last, a.question_id
           ) as place
    from unnest(v_chosen) c
    join venue.questions a on a.question_id = c.question_a
  )
  select c.question_a, c.question_b, c.family, c.wanted, c.days, c.minutes, c.rematch, c.occasion, c.legs_a, c.legs_b,
         c.legs_both, c.rank,
         case
           when c.rejected is not null then c.rejected
           when d.question_a is not null then 'duplicate_listing'
           when s.place > 1 then 'same_occasion'
           when s.place = 1 then null
           when c.question_a in (select x.question_a from chosen x)
             or c.question_b in (select x.question_b from chosen x)
             then 'better_partner'
           else 'ambiguous'
         end,
         case when s.place = 1 then s.round end
  from unnest(p_candidates) c
  left join unnest(v_duplicates) d on d.question_a = c.question_a and d.question_b = c.question_b
  left join chosen s on s.question_a = c.question_a and s.question_b = c.question_b;
end
$$;
comment on function catalog.choose_pairs(catalog.candidate[]) is
  'Stage 2 of catalog.run_match_pass: the same candidates, each chosen in a round or rejected. '
  'Pairs one to one by the best evidence; ties are ambiguous.';

create function catalog.analyze_changed_tables() returns integer
language plpgsql volatile
set search_path = ''
as $$
declare
  v_table regclass;
  v_rows bigint;
  v_measured integer := 0;
begin
  -- The first sweep fills these tables faster than autovacuum analyzes them. Planned for empty
  -- tables, a pass over 4,000 x 4,000 listings took 14 s instead of 3.5 s. Counting the rows takes
  -- milliseconds.
  foreach v_table in array array[
    'venue.events', 'venue.markets', 'venue.questions', 'venue.legs', 'catalog.pairs', 'catalog.outcomes',
    'catalog.rejections'
  ]::regclass[] loop
    execute format('select count(*) from %s', v_table) into v_rows;
    if abs(v_rows - (select c.reltuples from pg_catalog.pg_class c where c.oid = v_table)) > 100 + v_rows / 5 then
      execute format('analyze %s', v_table);
      v_measured := v_measured + 1;
    end if;
  end loop;
  return v_measured;
end
$$;
comment on function catalog.analyze_changed_tables() is
  'Part of catalog.run_match_pass: analyzes tables that grew or shrank by a fifth since the last '
  'analyze. Returns their number.';

-- 64 MB: the stages hash and sort tens of thousands of rows. With the default of 4 MB they went
-- through files, a tenth of the time of a pass over 20,000 x 20,000.
create function catalog.run_match_pass() returns jsonb
language plpgsql volatile security definer
set search_path = ''
set work_mem = '64MB'
as $$
declare
  v_started timestamptz := clock.now();
  v_candidates catalog.candidate[];
  v_evidence catalog.candidate[];
  v_chosen catalog.chosen_pair[];
  v_assessed catalog.assessed_pairs[];
  v_legs catalog.pair_leg[];
  v_outcomes catalog.outcomes[];
  v_keys catalog.outcome_key[];
  v_strikes catalog.strikes[];
  v_pairs catalog.new_pair[];
  v_changed catalog.changed_pair[];
  v_refused integer;
  v_written jsonb;
begin
  -- One pass at a time: a second one would not see what the first has not committed.
  if not pg_try_advisory_xact_lock(hashtextextended('catalog.run_match_pass', 0)) then
    return jsonb_build_object('skipped', true);
  end if;
  perform catalog.analyze_changed_tables();
  v_candidates := array(select c from catalog.evaluate_candidates() c);
  v_candidates := array(select c from catalog.choose_pairs(v_candidates) c);
  v_candidates := array(select c from catalog.propose_moved_fixtures(v_candidates) c);
  v_evidence := array(
    select c
    from catalog.find_evidence_candidates(v_candidates) c
    union all
    select c
    from catalog.find_evidence_races() c
  );
  v_candidates := v_candidates || array(select c from catalog.apply_reviews(v_evidence, v_candidates) c);
  v_refused := catalog.record_lookalikes(v_candidates);
  v_chosen := array(select c from catalog.changed_choices(v_candidates) c);
  v_assessed := array(select a from catalog.assess_pairs(v_chosen) a);
  v_legs := array(select l from catalog.build_legs(v_chosen) l);
  v_outcomes := array(select o from catalog.build_outcomes(v_chosen, v_legs) o);
  v_keys := array(select k from catalog.outcome_keys_of(v_chosen, v_outcomes) k);
  v_outcomes := array(select o from catalog.name_outcomes(v_outcomes, v_keys) o);
  v_strikes := array(select s from catalog.build_strikes(v_chosen) s);
  v_pairs := array(select p from catalog.assemble_pairs(v_chosen, v_assessed, v_legs, v_outcomes) p);
  v_changed := array(select c from catalog.changed_pairs(v_pairs, v_outcomes, v_strikes) c);
  v_written := catalog.write_pairs(v_candidates, v_assessed, v_pairs, v_changed);
  perform catalog.write_outcomes(v_changed, v_outcomes, v_keys, v_strikes);
  if (v_written ->> 'changed')::bigint > greatest(500, (v_written ->> 'pairs')::bigint / 5) then
    -- The rows written for the first time are rendered next, 500 pairs at a time
    -- (stream.publish_changes). Planned for empty tables, each round would scan all of them. For
    -- fewer than 500 pairs that costs less than an analyze.
    analyze catalog.pairs (
      pair_id, question_a, question_b, assessment_id, rule_id, stage, status, withdrawn_at, change_no
    );
    analyze catalog.outcomes (pair_id, ordinal);
    analyze catalog.strikes (pair_id, ordinal);
    analyze catalog.assessments (assessment_id);
    analyze catalog.rules (rule_id);
  end if;
  -- A settled pair that was made again may belong to another rule now.
  if exists (
    select from unnest(v_changed) m join catalog.pairs p on p.pair_id = m.pair_id where p.status = 'settled'
  ) then
    perform catalog.update_rule_parity();
  end if;

  -- Keep only the newest pass that changed nothing.
  delete from catalog.match_passes p
  where p.pass_id = (select max(l.pass_id) from catalog.match_passes l)
    and p.changed = 0;
  insert into catalog.match_passes (started_at, finished_at, pairs, created, changed, withdrawn, refused)
  values (
    v_started, clock.now(), (v_written ->> 'pairs')::integer, (v_written ->> 'created')::integer,
    (v_written ->> 'changed')::integer, (v_written ->> 'withdrawn')::integer, v_refused
  );
  return v_written || jsonb_build_object('refused', v_refused);
end
$$;
comment on function catalog.run_match_pass() is
  'Pairs the listings of both venues. Returns {pairs, created, changed, withdrawn, refused} '
  '(changed includes created and withdrawn), or {skipped: true} while another pass runs.';
revoke all on function catalog.run_match_pass() from public;

create view catalog.unpaired_questions with (security_invoker = true) as
-- Both lists are read once. An `or` over the two question ids would scan them for each question.
with paired as (
  select v.question_id
  from catalog.pairs p
  cross join lateral (values (p.question_a), (p.question_b)) as v (question_id)
  where p.withdrawn_at is null
), rejected as (
  select v.question_id, min(r.code) as code
  from catalog.rejections r
  cross join lateral (values (r.question_a), (r.question_b)) as v (question_id)
  group by v.question_id
)
select q.venue, q.question_id, q.family, q.competition, q.title, q.key, q.on_date, q.start_at,
       coalesce(
         q.excluded_reason,
         r.code,
         case
           when q.family in (select f.family from catalog.market_families() f) then 'no_counterpart'
           else 'family_not_paired'
         end
       ) as reason, q.event_id
from venue.questions q
left join rejected r on r.question_id = q.question_id
where not exists (select from paired p where p.question_id = q.question_id);
comment on view catalog.unpaired_questions is
  'Every question without a pair, with the reason: excluded by its parser, rejected as a '
  'look-alike, no counterpart listed, or a family that is not paired.';
