-- What the decisions of operators change in the match pass: a confirmed list of runners is no
-- longer unconfirmed, a refused pair is rejected, and a league that was taken back stays a
-- candidate.

create function catalog.review_subject(p_family venue.market_type, p_event_a text, p_event_b text) returns text
language sql immutable
set search_path = ''
as $$
  select case
    when p_family = 'outright' then 'race:' || p_event_a || ':' || p_event_b
    else 'league:' || split_part(p_event_a, '-', 1) || ':' || split_part(p_event_b, '-', 1)
  end
$$;
comment on function catalog.review_subject(venue.market_type, text, text) is
  'What an operator decides about a pair from text evidence: the two lists of runners, or the '
  'league of a game (series of venue_a and slug prefix of venue_b).';

create function catalog.apply_reviews(p_evidence catalog.candidate[], p_chosen catalog.candidate[])
returns setof catalog.candidate
language sql stable
set search_path = ''
set plan_cache_mode = force_custom_plan
as $$
  with found as materialized (
    select c.*, r.kind, r.state,
           -- Two pairs of one pass never have the same id: only the first keeps it.
           row_number() over (
             partition by a.family, a.key, catalog.occasion_of(a.identity, a.on_date, a.game_no)
             order by a.start_at nulls last, a.question_id
           ) > 1
             or exists (
               select
               from venue.questions x
               where x.family = a.family
                 and x.key = a.key
                 and x.venue = 'venue_a'
                 and x.question_id <> a.question_id
                 and catalog.occasion_of(x.identity, x.on_date, x.game_no)
                 = catalog.occasion_of(a.identity, a.on_date, a.game_no)
                 and x.question_id in (select p.question_a from unnest(p_chosen) p where p.round is not null)
             ) as is_taken
    from unnest(p_evidence) c
    join venue.questions a on a.question_id = c.question_a
    join venue.questions b on b.question_id = c.question_b
    left join catalog.reviews r on r.subject = catalog.review_subject(c.family, a.event_id, b.event_id)
  )
  select f.question_a, f.question_b, f.family, f.wanted, f.days, f.minutes, f.rematch,
         case when f.kind = 'race' and f.state = 'confirmed' then 'confirmed_race' else f.occasion end,
         f.legs_a, f.legs_b, f.legs_both, f.rank,
         case
           when f.state = 'refused' then 'refused_by_review'
           when f.is_taken then 'same_occasion'
           else f.rejected
         end,
         case when f.state = 'refused' or f.is_taken then null else f.round end
  from found f
$$;
comment on function catalog.apply_reviews(catalog.candidate[], catalog.candidate[]) is
  'Stage 3 of catalog.run_match_pass: the candidates of text evidence after the decisions of '
  'operators. p_chosen: the candidates of the registry.';

create function catalog.taken_back(p_questions_a text[]) returns table (question_a text, question_b text)
language sql stable
set search_path = ''
as $$
  select a.question_id, b.question_id
  from catalog.reviews r
  join venue.questions a on a.venue = 'venue_a' and split_part(a.event_id, '-', 1) = r.series
  join venue.questions b on b.venue = 'venue_b' and b.family = a.family and b.key = a.key
    and split_part(b.event_id, '-', 1) = r.prefix
  where r.kind = 'league'
    and r.state = 'withdrawn'
    and a.question_id = any (p_questions_a)
$$;
comment on function catalog.taken_back(text[]) is
  'Pairs of a league whose confirmation was taken back. Listings that were read before that still '
  'name the league, and their pairs stay candidates.';

revoke all on function
  catalog.review_subject(venue.market_type, text, text),
  catalog.apply_reviews(catalog.candidate[], catalog.candidate[]),
  catalog.taken_back(text[])
from public;
