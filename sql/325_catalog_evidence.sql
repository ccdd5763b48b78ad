-- Candidates from text evidence: games whose league or names the registry does not hold. The
-- parsers exclude such a question and keep the words and the code of both sides. Here two of them
-- meet by these, their date and their start. A pair of this kind is never published.

create function catalog.name_similarity(p_words_a text[], p_words_b text[]) returns numeric
language sql immutable
set search_path = ''
as $$
  -- The share of the letters of the shorter name that the other name has as well. A word that
  -- begins the other word counts with its own letters, a common beginning of four letters by half.
  -- A single letter abbreviates a word of the other name ("New York M" is no "New York Yankees").
  with sized as (
    select length(array_to_string(p_words_a, '')) <= length(array_to_string(p_words_b, '')) as a_is_short
  ), short as (
    select w.word
    from sized z
    cross join lateral unnest(case when z.a_is_short then p_words_a else p_words_b end) as w (word)
  ), long as (
    select w.word
    from sized z
    cross join lateral unnest(case when z.a_is_short then p_words_b else p_words_a end) as w (word)
  )
  select case
    when p_words_a <@ p_words_b and p_words_b <@ p_words_a then 1
    when bool_or(length(s.word) = 1 and coalesce(m.share, 0) = 0) then 0
    else least(0.95, coalesce(sum(length(s.word) * coalesce(m.share, 0)) / nullif(sum(length(s.word)), 0), 0))
  end
  from short s
  left join lateral (
    select max(
      case
        when l.word = s.word then 1
        when least(length(s.word), length(l.word)) >= 3
          and (starts_with(l.word, s.word) or starts_with(s.word, l.word)) then 0.9
        when length(s.word) = 1 and starts_with(l.word, s.word) then 0.9
        when length(s.word) >= 4 and left(s.word, 4) = left(l.word, 4) then 0.5
        else 0
      end
    ) as share
    from long l
  ) m on true
$$;
comment on function catalog.name_similarity(text[], text[]) is
  'How much two names agree by their words: 1 for the same words, less for a part of them, 0 for '
  'none.';

create function catalog.sides_of(p_question venue.questions) returns jsonb
language sql stable
set search_path = ''
as $$
  select coalesce(
    p_question.identity #> '{evidence,sides}',
    -- A side that the registry knows has the words of its key and of its name.
    (
      select jsonb_agg(jsonb_build_object(
        'key', l.outcome_key,
        'words', (
          select jsonb_agg(distinct w.word)
          from regexp_split_to_table(l.outcome_key || ' ' || lower(l.outcome_name), '[^a-z0-9]+') w (word)
          where w.word <> ''
        )
      ) order by l.ordinal)
      from venue.legs l
      where l.question_id = p_question.question_id and l.outcome_key <> 'draw'
    )
  )
$$;
comment on function catalog.sides_of(venue.questions) is
  'The two sides of a game as [{key, words, code, unlisted}]. code: the abbreviation in the '
  'ticker or the slug. unlisted: no contract pays this side.';

create function catalog.match_sides(p_sides_a jsonb, p_sides_b jsonb)
returns table (key_a text, key_b text, similarity numeric, equal_codes boolean, by_code boolean)
language sql immutable
set search_path = ''
as $$
  with named as (
    select a.side ->> 'key' as key_a, b.side ->> 'key' as key_b, a.ordinal = b.ordinal as straight,
           greatest(
             catalog.name_similarity(
               array(select jsonb_array_elements_text(a.side -> 'words')),
               array(select jsonb_array_elements_text(b.side -> 'words'))
             ),
             -- The other name contains the code of this side: "stl blues".
             case when b.side -> 'words' ? (a.side ->> 'code') then 0.8 else 0 end
           ) as names_agree,
           coalesce(a.side ->> 'code' = b.side ->> 'code', false) as equal_codes
    from jsonb_array_elements(p_sides_a) with ordinality as a (side, ordinal)
    cross join jsonb_array_elements(p_sides_b) with ordinality as b (side, ordinal)
    where jsonb_array_length(p_sides_a) = 2 and jsonb_array_length(p_sides_b) = 2
  ), compared as (
    -- Equal codes count nearly as much as equal names. So names that are assigned in one way and
    -- codes that are assigned in the other give no assignment.
    select n.*, greatest(n.names_agree, case when n.equal_codes then 0.9 else 0 end) as similarity
    from named n
  ), assigned as (
    select c.straight, min(c.similarity) as weakest, sum(c.similarity) as total
    from compared c
    group by c.straight
  ), best as (
    select d.straight
    from assigned d
    where d.weakest >= 0.5
      and d.total > coalesce((select max(o.total) from assigned o where o.straight <> d.straight), 0) + 0.3
  )
  select c.key_a, c.key_b, c.similarity, c.equal_codes, c.names_agree < 0.5
  from compared c
  join best d on d.straight = c.straight
$$;
comment on function catalog.match_sides(jsonb, jsonb) is
  'Which side of one game is which side of the other, by names and codes. Empty when a side has '
  'neither, or when the two assignments are nearly as good. by_code: the names do not agree.';

create function catalog.side_keys(p_question_a text, p_question_b text) returns table (key_a text, key_b text)
language sql stable
set search_path = ''
as $$
  select s.key_a, s.key_b
  from venue.questions a
  join venue.questions b on b.question_id = p_question_b
  cross join lateral catalog.match_sides(catalog.sides_of(a), catalog.sides_of(b)) s
  where a.question_id = p_question_a
$$;
comment on function catalog.side_keys(text, text) is
  'Which outcome of one game is which outcome of the other, for a pair from text evidence.';

create function catalog.count_legs(p_sides jsonb, p_draw boolean) returns bigint
language sql immutable
set search_path = ''
as $$
  select count(*) + p_draw::integer
  from jsonb_array_elements(p_sides) s
  where not s ? 'unlisted'
$$;
comment on function catalog.count_legs(jsonb, boolean) is
  'The number of outcomes that a game lists: its listed sides, and the draw.';

create function catalog.evidence_games(p_candidates catalog.candidate[])
returns table (
  question_id text,
  venue venue.code,
  on_date date,
  start_at timestamptz,
  sides jsonb,
  draw boolean,
  women boolean,
  league text,
  tokens boolean,
  unconfirmed boolean,
  competition text,
  only_there boolean
)
language sql stable
set search_path = ''
set plan_cache_mode = force_custom_plan
as $$
  -- Games that the registry does not decide, and the games without a pair that they may meet. A
  -- game of a named competition of teams is no game of an unknown league: it meets only a game of
  -- its own competition with an unknown name. Persons are known by their names in every tournament.
  with unknown as materialized (
    select distinct q.venue, q.identity ->> 'competition' as competition
    from venue.questions q
    where q.family = 'moneyline'
      and q.excluded_reason = 'unknown_alias'
      and q.identity ? 'evidence'
  )
  select q.question_id, q.venue, q.on_date, q.start_at, s.sides,
         coalesce((q.identity #> '{evidence,draw}')::boolean, (q.identity ->> 'ways')::integer = 3) as draw,
         (q.identity #> '{evidence,women}')::boolean as women,
         q.identity #>> '{evidence,league}' as league,
         -- One market with two named outcomes cannot pay a draw.
         q.venue = 'venue_b'
           and (select count(distinct l.market_id) = 1 from venue.legs l where l.question_id = q.question_id),
         q.identity ? 'evidence', q.identity ->> 'competition',
         q.excluded_reason is null and not w.is_open
  from venue.questions q
  cross join lateral (
    select coalesce(
      q.identity ->> 'competition_by' = 'inferred' or q.identity -> 'prefixed' = 'false'
      or q.identity -> 'names_person' = 'true',
      false
    ) as is_open
  ) w
  cross join lateral (select catalog.sides_of(q) as sides) s
  where q.family = 'moneyline'
    and (
      (
        q.excluded_reason is null
        and (
          w.is_open
          or exists (
            select from unknown u where u.venue <> q.venue and u.competition = q.identity ->> 'competition'
          )
        )
      )
      or (q.identity ? 'evidence' and q.excluded_reason in ('unconfirmed_league', 'unknown_alias'))
    )
    and q.on_date is not null
    and jsonb_array_length(s.sides) = 2
    -- Two conditions, because an `or` would scan all candidates for each question.
    and not exists (
      select from unnest(p_candidates) c where c.round is not null and c.question_a = q.question_id
    )
    and not exists (
      select from unnest(p_candidates) c where c.round is not null and c.question_b = q.question_id
    )
$$;
comment on function catalog.evidence_games(catalog.candidate[]) is
  'Part of catalog.find_evidence_candidates: games without a pair, with the sides of each.';

create function catalog.find_evidence_candidates(p_candidates catalog.candidate[]) returns setof catalog.candidate
language plpgsql stable
set search_path = ''
set plan_cache_mode = force_custom_plan
as $$
declare
  v_open catalog.candidate[];
begin
  -- Two games meet when both sides share the beginning of a word on the same day or a day apart.
  -- The beginnings of both sides are one join key, so the work grows with the number of games. A
  -- key of more than 50 games of one day on one venue distinguishes nothing and is not used.
  v_open := array(
    with games as materialized (
      select *
      from catalog.evidence_games(p_candidates)
    ), keyed as materialized (
      select distinct g.question_id, g.venue, g.on_date, g.unconfirmed,
             least(x.start, y.start) || '|' || greatest(x.start, y.start) as key
      from games g
      cross join lateral (
        select left(w.word, 3) as start
        from jsonb_array_elements_text(g.sides #> '{0,words}' || coalesce(g.sides #> '{0,code}', '[]')) w (word)
      ) x
      cross join lateral (
        select left(w.word, 3) as start
        from jsonb_array_elements_text(g.sides #> '{1,words}' || coalesce(g.sides #> '{1,code}', '[]')) w (word)
      ) y
    ), crowded as materialized (
      select k.venue, k.on_date, k.key
      from keyed k
      group by k.venue, k.on_date, k.key
      having count(*) > 50
    ), useful as materialized (
      select k.*
      from keyed k
      where not exists (
        select from crowded c where c.venue = k.venue and c.on_date = k.on_date and c.key = k.key
      )
    ), met as materialized (
      select distinct a.question_id as question_a, b.question_id as question_b
      from useful a
      cross join lateral (values (-1), (0), (1)) as d (days)
      join useful b on b.venue = 'venue_b' and b.key = a.key and b.on_date = a.on_date + d.days
      where a.venue = 'venue_a'
        and (a.unconfirmed or b.unconfirmed)
    ), joined as materialized (
      -- Materialized, so that only games that met are compared. In one query the planner compared
      -- every game with every other.
      select m.question_a, m.question_b, a.sides as sides_a, b.sides as sides_b, b.on_date - a.on_date as days,
             extract(epoch from b.start_at - a.start_at) / 60 as minutes,
             a.start_at is null or (a.start_at at time zone 'UTC')::date = b.on_date as may_be_next,
             coalesce(a.women <> b.women, false) as other_kind, coalesce(a.league = b.league, false) as same_league,
             catalog.count_legs(a.sides, a.draw) as legs_a, catalog.count_legs(b.sides, b.draw) as legs_b,
             (a.draw and b.draw)::integer as draws
      from met m
      join games a on a.question_id = m.question_a
      join games b on b.question_id = m.question_b
      where not (a.draw and b.tokens)
        and (not (a.only_there or b.only_there) or a.competition = b.competition)
    ), compared as (
      select j.*, s.*, s.listed + j.draws as legs, count(*) over (partition by j.question_a) as fits_a,
             count(*) over (partition by j.question_b) as fits_b
      from joined j
      cross join lateral (
        select sum(x.similarity) as total, count(*) filter (where x.equal_codes) as equal_codes,
               count(*) filter (where x.by_code) as by_code,
               count(*) filter (
                 where not j.sides_a @> jsonb_build_array(jsonb_build_object('key', x.key_a, 'unlisted', true))
                   and not j.sides_b @> jsonb_build_array(jsonb_build_object('key', x.key_b, 'unlisted', true))
               ) as listed
        from catalog.match_sides(j.sides_a, j.sides_b) x
      ) s
      where s.total is not null
    ), dated as (
      select c.*,
             case
               when abs(c.minutes) <= 15 then 'same_start'
               when abs(c.minutes) <= 180 then 'near_start'
               when c.minutes is not null and c.days = 0 and abs(c.minutes) <= 720 then 'moved_start'
               when c.minutes is not null then null
               when c.days = 0 then 'same_date'
               -- A day apart without a start: only where neither venue lists the two on another
               -- day.
               when c.may_be_next and c.fits_a = 1 and c.fits_b = 1 then 'next_date'
             end as occasion
      from compared c
    ), placed as (
      select d.*, count(*) over (partition by d.question_a) as places_a,
             count(*) over (partition by d.question_b) as places_b
      from dated d
      where d.occasion is not null
        -- A pair has an outcome that both venues list.
        and d.listed > 0
        -- Women and men of one club may play on one day. Only an equal start shows that it is one
        -- game.
        and (not d.other_kind or d.occasion = 'same_start')
    )
    select (
      p.question_a, p.question_b, 'moneyline', 'sides', p.days, p.minutes, 'next_day', p.occasion, p.legs_a, p.legs_b,
      p.legs,
      p.total + 0.1 * p.equal_codes + case p.occasion
        when 'same_start' then 3
        when 'near_start' then 2
        when 'same_date' then 2
        when 'moved_start' then 1
        else 0
      end,
      null, null
    )::catalog.candidate
    from placed p
    where p.by_code = 0
      -- Where the names of a side do not agree ("Buffalo", "Bills"), its equal codes count on the
      -- same date alone, and only if no other game fits either of the two. Teams of one city have
      -- equal codes in several leagues, so both venues must abbreviate the league in the same way.
      -- An equal start shows as much where the names of the other side agree.
      or (
        p.occasion in ('same_start', 'near_start', 'same_date')
        and p.places_a = 1
        and p.places_b = 1
        and (p.same_league or (p.by_code = 1 and p.occasion = 'same_start'))
      )
  );
  return query select * from catalog.best_partners(v_open, 1);
end
$$;
comment on function catalog.find_evidence_candidates(catalog.candidate[]) is
  'Stage 3 of catalog.run_match_pass: games that the registry does not decide, paired by names, '
  'dates and starts, if each is strictly the best of the other.';
