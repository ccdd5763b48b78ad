-- For operators who ask why a listing is (not) in a pair: all that was parsed, assessed and
-- rejected about it. ops.explain combines these functions.

create function catalog.describe_exclusion(p_code text) returns text
language sql immutable
set search_path = ''
as $$
  select case p_code
    when 'unknown_alias' then 'A participant or entity is not in the registry. Names are never guessed.'
    when 'unconfirmed_league'
      then 'The league or contest is not in the registry. Text evidence may make a candidate, never a published pair.'
    when 'ambiguous_alias'
      then 'Several participants have this name, and the listing does not decide which one it means.'
    when 'contradictory' then 'The parts of the listing contradict each other.'
    when 'duplicate_listing' then 'The same question is listed in the main event.'
    when 'placeholder' then 'A placeholder of the venue, or a catch-all outcome.'
    when 'unreadable_date' then 'The question has no date that can be parsed.'
    when 'incomplete' then 'An outcome of the question is not listed.'
    when 'part_of_game' then 'A half, a set, a map or another part, not the whole game.'
    when 'payoff_contradicted' then 'The text or the title describes another payout than the fields.'
    when 'family_not_paired' then 'Questions of this family are not paired.'
    when 'no_counterpart' then 'The other venue lists no question with the same key.'
    when 'unconfirmed_league' then 'The registry does not hold the league. Its texts may still find a candidate.'
    when 'unconfirmed_name' then 'The registry does not hold a name. Its texts may still find a candidate.'
    when 'other_date' then 'The same participants on another date.'
    when 'other_start' then 'The same participants, with starts too far apart.'
    when 'other_hour' then 'The same day, another hour of settlement.'
    when 'other_game' then 'Another game of a doubleheader.'
    when 'rematch_next_day' then 'The same sides meet on both days, and no start distinguishes the games.'
    when 'other_stage' then 'Another stage, such as preseason.'
    when 'other_scope' then 'One is a game, the other a series.'
    when 'other_line' then 'The other venue does not list this line of the game.'
    when 'other_person' then 'The same family names, other given names.'
    when 'other_name' then 'Perhaps one person under two family names.'
    when 'other_competition' then 'The venues name different competitions.'
    when 'other_award' then 'Another award.'
    when 'other_year' then 'Another season or year.'
    when 'other_measure' then 'Another measure, such as a low against a high.'
    when 'other_kind' then 'A level touched at any time, against a level at an hour.'
    when 'other_basis' then 'Another basis, such as monthly against yearly.'
    when 'other_period' then 'Another period of the data.'
    when 'other_unit' then 'The venues count in different units.'
    when 'legs_differ' then 'The outcomes are not the same.'
    when 'better_partner' then 'One of the two has a partner with better evidence.'
    when 'ambiguous' then 'Several partners have equal evidence.'
    when 'same_occasion' then 'Another listing of the same occasion is paired.'
    else replace(p_code, '_', ' ')
  end
$$;
comment on function catalog.describe_exclusion(text) is
  'Why a question has no pair: the sentence for a code.';

create function catalog.find_questions(p_about text) returns setof text
language sql stable
set search_path = ''
as $$
  with input as (
    select trim(p_about) as about, upper(trim(p_about)) as ticker,
           case
             when trim(p_about) ~* '^(mkt_)?[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$'
               then regexp_replace(lower(trim(p_about)), '^mkt_', '')::uuid
           end as pair_id
  )
  select q.question_id
  from input a
  join venue.questions q on q.question_id = a.about or q.event_id in (a.about, a.ticker)
  union
  select l.question_id
  from input a
  join venue.legs l on l.market_id in (a.about, a.ticker) or l.contract_id in (a.about, a.ticker)
  union
  -- The slug of a market of venue_b, which may differ from that of its event.
  select l.question_id
  from input a
  join venue.markets m on m.venue = 'venue_b' and m.payload ->> 'slug' = a.about
  join venue.legs l on l.market_id = m.market_id
  union
  select q
  from input a
  join catalog.pairs p on p.pair_id = a.pair_id
  cross join lateral (values (p.question_a), (p.question_b)) as v (q)
$$;
comment on function catalog.find_questions(text) is
  'Part of ops.explain: the questions that a pair id, question id, event ticker, ticker, event or '
  'market slug, condition id or token id belongs to.';

create function catalog.explain_pair(p_pair_id uuid) returns jsonb
language sql stable
set search_path = ''
as $$
  select jsonb_build_object(
    'id', 'mkt_' || p.pair_id, 'questions', jsonb_build_array(p.question_a, p.question_b), 'title', p.title,
    'market_type', p.market_type, 'status', p.status, 'stage', p.stage, 'band', p.band, 'result', p.result,
    'withdrawn_at', p.withdrawn_at, 'withdrawn_code', p.withdrawn_code,
    'review', case
      when p.withdrawn_at is null and j.signals @> '[{"signal": "unconfirmed_league"}]'
        then catalog.review_subject(p.market_type, p.event_a, p.event_b)
    end,
    'confidence', jsonb_build_object('entity', p.entity_confidence, 'resolution', p.resolution_confidence),
    'signals', (
      select coalesce(
        jsonb_agg(
          s || jsonb_strip_nulls(jsonb_build_object('why', w.why))
          order by (s ->> 'weight')::numeric desc, s ->> 'signal'
        ), '[]'
      )
      from jsonb_array_elements(j.signals) s
      left join catalog.signal_weights() w on w.signal = s ->> 'signal' and w.state = s ->> 'state'
    ),
    'risks', (
      select coalesce(
        jsonb_agg(
          jsonb_build_object(
            'event', k.event, 'severity', k.severity, 'note', k.note, 'internal', starts_with(k.event, 'cancel_')
          )
          order by catalog.severity_rank(k.severity), k.event
        ),
        '[]'
      )
      from catalog.pair_risks k
      where k.pair_id = p.pair_id
    ),
    'rule', catalog.rule_summary(p.rule_id),
    'outcomes', (
      select coalesce(jsonb_agg(jsonb_strip_nulls(to_jsonb(o) - 'pair_id') order by o.ordinal), '[]')
      from catalog.outcomes o
      where o.pair_id = p.pair_id
    )
  )
  from catalog.pairs p
  join catalog.assessments j on j.assessment_id = p.assessment_id
  where p.pair_id = p_pair_id
$$;
comment on function catalog.explain_pair(uuid) is
  'Part of ops.explain: a pair with all signals and their reasons, all risks (internal ones too) '
  'and the record of its rule.';
