-- Why a listing is (not) a pair, and why a pair is (not) an opportunity. `npm run why` and the
-- market page read it.

create function ops.summarize_explanation(p_known jsonb) returns jsonb
language sql immutable
set search_path = ''
as $$
  select jsonb_build_object('code', c.code, 'because', c.because)
  from (
    select 1 as rank, 'paired' as code, 'The listing is in a published pair.' as because
    from jsonb_array_elements(p_known -> 'pairs') p
    where p ->> 'stage' = 'catalog' and p ->> 'withdrawn_at' is null
    union all
    select 2, 'candidate', 'The listing is in a candidate pair, which is not published as confirmed.'
    from jsonb_array_elements(p_known -> 'pairs') p
    where p ->> 'stage' = 'candidate' and p ->> 'withdrawn_at' is null
    union all
    select 3, q ->> 'unmatched', q ->> 'unmatched_because'
    from jsonb_array_elements(p_known -> 'questions') q
    where q ->> 'unmatched' is not null
    union all
    select 4, e ->> 'unread', e ->> 'unread_because'
    from jsonb_array_elements(p_known -> 'events') e
    where e ->> 'unread' is not null
    union all
    -- The event has questions, and the market that was asked about is in none of them.
    select 5, 'not_in_question', 'A parser read the event, but this market is in none of its questions.'
    from jsonb_array_elements(p_known -> 'events') e
    where e ->> 'unread' is null
    union all
    select 6, r ->> 'code', 'The row was rejected: ' || (r ->> 'because')
    from jsonb_array_elements(p_known -> 'rejected_rows') r
    union all
    select 7, 'withdrawn', 'The pair was withdrawn.'
    from jsonb_array_elements(p_known -> 'pairs') p
    union all
    select 8, case when (s ->> 'events')::bigint = 0 then 'series_without_event' else 'series' end,
           case
             when (s ->> 'events')::bigint = 0 then 'This is a series. No event of it is stored.'
             else 'This is a series. Its stored events are counted, and the unread ones by code.'
           end
    from jsonb_array_elements(p_known -> 'series') s
    union all
    select 9, 'unlisted', 'No sweep listed it: no series, event, market, contract, pair or rejected row has this id.'
  ) c
  order by c.rank, c.code
  limit 1
$$;
comment on function ops.summarize_explanation(jsonb) is
  'Part of ops.explain: one code and one sentence, from the strongest fact known of the listing.';

create function ops.explain(p_about text) returns jsonb
language sql stable security definer
set search_path = ''
as $$
  with about as materialized (
    select distinct a.question_id from catalog.find_questions(p_about) as a (question_id)
  ), questions as (
    select jsonb_build_object(
             'question_id', q.question_id, 'venue', q.venue, 'event', q.event_id, 'family', q.family, 'key', q.key,
             'title', q.title, 'on_date', q.on_date, 'start_at', q.start_at, 'identity', q.identity, 'terms', q.terms,
             'excluded', q.excluded_reason, 'excluded_because', catalog.describe_exclusion(q.excluded_reason),
             'unmatched', u.reason, 'unmatched_because', catalog.describe_exclusion(u.reason),
             'legs', (
               select coalesce(jsonb_agg(jsonb_strip_nulls(to_jsonb(l) - 'question_id') order by l.ordinal), '[]')
               from venue.legs l
               where l.question_id = q.question_id
             )
           ) as question, q.question_id
    from about a
    join venue.questions q on q.question_id = a.question_id
    left join catalog.unpaired_questions u on u.question_id = q.question_id
  ), pairs as (
    select catalog.explain_pair(p.pair_id) || jsonb_build_object(
             'gates', arb.gates_of(p.pair_id, false),
             'after', arb.after_gates(p.pair_id, 'infinity', l.priced_at, coalesce(g.priced_ok, false))
           ) as pair, p.withdrawn_at, p.pair_id
    from catalog.pairs p
    left join price.latest_updates l on l.pair_id = p.pair_id
    left join price.signal_gates g on g.pair_id = p.pair_id
    where exists (select from about a where a.question_id in (p.question_a, p.question_b))
  ), rejections as (
    select jsonb_build_object(
             'question_a', r.question_a, 'question_b', r.question_b, 'code', r.code, 'because', r.detail, 'evidence',
             r.evidence, 'since', r.seen_at
           ) as rejection, r.seen_at, r.code
    from catalog.rejections r
    where exists (select from about a where a.question_id in (r.question_a, r.question_b))
    order by r.seen_at desc, r.code
    limit 50
  ), rejected as (
    select jsonb_build_object(
      'venue', s.venue, 'kind', s.kind, 'native_id', s.native_id, 'code', s.code, 'because', s.detail, 'last_seen_at',
      s.last_seen_at
    ) as row
    from venue.rejected_rows s
    where s.native_id = any (catalog.spellings_of(p_about))
      or s.native_id in (select f.event_id from catalog.find_events(p_about) f)
    order by s.last_seen_at desc
    limit 50
  ), known as (
    select (select coalesce(jsonb_agg(q.question order by q.question_id), '[]') from questions q) as questions,
           (
             select coalesce(jsonb_agg(p.pair order by p.withdrawn_at nulls first, p.pair_id), '[]') from pairs p
           ) as pairs,
           (
             select coalesce(jsonb_agg(r.rejection order by r.seen_at desc, r.code), '[]') from rejections r
           ) as rejections,
           (select coalesce(jsonb_agg(s.row), '[]') from rejected s) as rejected_rows,
           catalog.explain_events(p_about) as events, catalog.explain_series(p_about) as series
  )
  select jsonb_build_object('about', trim(p_about)) || ops.summarize_explanation(to_jsonb(k)) || to_jsonb(k)
  from known k
$$;
comment on function ops.explain(text) is
  'For operators: {about, code, because, questions, pairs, rejections, rejected_rows, events, '
  'series} of an id, ticker, slug or token. Each pair has its gates and later rejections.';

revoke all on function
  ops.summarize_explanation(jsonb),
  ops.explain(text)
from public;
