-- Candidates from text evidence: games whose league or names the registry does not hold. The
-- parsers exclude such a question and keep the words of both names. Here two of them meet by their
-- words, their date and their start. A pair of this kind is never published.

create function catalog.name_similarity(p_words_a text[], p_words_b text[]) returns numeric
language sql immutable
set search_path = ''
as $$
  -- The share of the letters of the shorter name that the other name has as well. A word that
  -- begins the other word counts with its own letters, a common beginning of four letters by half.
  with short as (
    select w.word
    from unnest(
      case
        when length(array_to_string(p_words_a, '')) <= length(array_to_string(p_words_b, '')) then p_words_a
        else p_words_b
      end
    ) as w (word)
  ), long as (
    select w.word
    from unnest(
      case
        when length(array_to_string(p_words_a, '')) <= length(array_to_string(p_words_b, '')) then p_words_b
        else p_words_a
      end
    ) as w (word)
  )
  select case
    when p_words_a <@ p_words_b and p_words_b <@ p_words_a then 1
    else least(0.95, coalesce(sum(length(s.word) * coalesce(m.share, 0)) / nullif(sum(length(s.word)), 0), 0))
  end
  from short s
  left join lateral (
    select max(
      case
        when l.word = s.word then 1
        when length(least(s.word, l.word)) >= 3
          and (starts_with(l.word, s.word) or starts_with(s.word, l.word)) then 0.9
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

create function catalog.match_sides(p_question_a text, p_question_b text)
returns table (key_a text, key_b text, similarity numeric)
language sql stable
set search_path = ''
as $$
  with sides as (
    select q.venue, s.ordinal, s.side ->> 'key' as key,
           array(select jsonb_array_elements_text(s.side -> 'words')) as words
    from venue.questions q
    cross join lateral jsonb_array_elements(q.identity #> '{evidence,sides}') with ordinality as s (side, ordinal)
    where q.question_id in (p_question_a, p_question_b)
  ), compared as (
    select a.key as key_a, b.key as key_b, a.ordinal = b.ordinal as straight,
           catalog.name_similarity(a.words, b.words) as similarity
    from sides a
    join sides b on b.venue = 'venue_b'
    where a.venue = 'venue_a'
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
  select c.key_a, c.key_b, c.similarity
  from compared c
  join best d on d.straight = c.straight
$$;
comment on function catalog.match_sides(text, text) is
  'Which side of one game is which side of the other, by the words of their names. Empty when a '
  'side has no like name, or when the two assignments are nearly as good.';

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
      select q.question_id, q.venue, q.on_date, q.start_at, q.identity #> '{evidence,sides}' as sides,
             q.identity #> '{evidence,draw}' as draw, q.identity #> '{evidence,women}' as women, q.sport
      from venue.questions q
      where q.family = 'moneyline'
        and q.identity ? 'evidence'
        and q.excluded_reason in ('unconfirmed_league', 'unknown_alias')
        and q.on_date is not null
        and not exists (
          select
          from unnest(p_candidates) c
          where c.round is not null and q.question_id in (c.question_a, c.question_b)
        )
    ), keyed as materialized (
      select distinct g.question_id, g.venue, g.on_date,
             least(x.start, y.start) || '|' || greatest(x.start, y.start) as key
      from games g
      cross join lateral (
        select left(w.word, 3) as start from jsonb_array_elements_text(g.sides #> '{0,words}') w (word)
      ) x
      cross join lateral (
        select left(w.word, 3) as start from jsonb_array_elements_text(g.sides #> '{1,words}') w (word)
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
    ), compared as (
      select m.question_a, m.question_b, b.on_date - a.on_date as days,
             extract(epoch from b.start_at - a.start_at) / 60 as minutes,
             b.start_at is null and (a.start_at at time zone 'UTC')::date = b.on_date as utc_date,
             a.women <> b.women as other_kind, s.total, 2 + (a.draw = 'true')::integer as legs
      from met m
      join games a on a.question_id = m.question_a
      join games b on b.question_id = m.question_b
      cross join lateral (
        select sum(x.similarity) as total from catalog.match_sides(m.question_a, m.question_b) x
      ) s
      where s.total is not null
        and a.draw = b.draw
        and coalesce(a.sport = b.sport, true)
    ), dated as (
      select c.*,
             case
               when abs(c.minutes) <= 15 then 'same_start'
               when abs(c.minutes) <= 180 then 'near_start'
               when c.minutes is not null and c.days = 0 and abs(c.minutes) <= 720 then 'moved_start'
               when c.minutes is not null then null
               when c.days = 0 then 'same_date'
               when c.utc_date then 'next_date'
             end as occasion
      from compared c
    )
    select (
      d.question_a, d.question_b, 'moneyline', 'sides', d.days, d.minutes, 'next_day', d.occasion, d.legs, d.legs,
      d.legs,
      d.total + case d.occasion
        when 'same_start' then 3
        when 'near_start' then 2
        when 'same_date' then 2
        when 'moved_start' then 1
        else 0
      end,
      null, null
    )::catalog.candidate
    from dated d
    where d.occasion is not null
      -- Women and men of one club may play on one day. Only an equal start shows that it is one
      -- game.
      and (not d.other_kind or d.occasion = 'same_start')
  );
  return query select * from catalog.best_partners(v_open, 1);
end
$$;
comment on function catalog.find_evidence_candidates(catalog.candidate[]) is
  'Stage 3 of catalog.run_match_pass: games that the registry does not decide, paired by names, '
  'dates and starts, if each is strictly the best of the other.';
