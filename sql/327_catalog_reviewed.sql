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

create function catalog.apply_reviews(p_candidates catalog.candidate[]) returns setof catalog.candidate
language sql stable
set search_path = ''
set plan_cache_mode = force_custom_plan
as $$
  select c.question_a, c.question_b, c.family, c.wanted, c.days, c.minutes, c.rematch,
         case when r.kind = 'race' and r.state = 'confirmed' then 'confirmed_race' else c.occasion end,
         c.legs_a, c.legs_b, c.legs_both, c.rank,
         case when r.state = 'refused' then 'refused_by_review' else c.rejected end,
         case when r.state = 'refused' then null else c.round end
  from unnest(p_candidates) c
  join venue.questions a on a.question_id = c.question_a
  join venue.questions b on b.question_id = c.question_b
  left join catalog.reviews r on r.subject = catalog.review_subject(c.family, a.event_id, b.event_id)
$$;
comment on function catalog.apply_reviews(catalog.candidate[]) is
  'Stage 3 of catalog.run_match_pass: the candidates of text evidence after the decisions of '
  'operators.';

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
  catalog.apply_reviews(catalog.candidate[]),
  catalog.taken_back(text[])
from public;
