-- Constants of the match pass: how each family is paired, the weight of each signal, and what an id
-- is derived from.

-- A new family needs a row here, a parser in functions/ingest/identity and tests. Texts that depend
-- on the family (a payout, the sentence of an instruction, a look-alike) have a default for the
-- others.
--   occasion   game, race or day: the unit that a settled pair counts as; families that share a
--              unit diverge together
--   day_slack  days by which the dates of the venues may differ (venue_b dates a night game in UTC,
--              a meeting lasts two days)
--   outcomes   equal; shared: a runner may be missing on one venue; bands, buckets: strikes of
--              venue_b; twins: strikes that both list; choices: the five of a rate decision
--   review     band REVIEW by the specification; published all the same
--   fields     the fields of a market beyond the common ones: none, line (with game_id) or strikes
--              (with closes)
--   facets     the contextual fields by which GET /v2/categories groups its markets
--   compared   the signals of catalog.comparable_terms that apply to the family
create function catalog.market_families() returns table (
  family venue.market_type,
  occasion text,
  day_slack integer,
  outcomes text,
  review boolean,
  fields text,
  facets text[],
  compared text[]
)
language sql immutable parallel safe
set search_path = ''
as $$
  values
    ('moneyline'::venue.market_type, 'game', 1, 'equal', false, 'none', array['sport', 'competition'],
      array['postponement', 'cancelled', 'tie', 'walkover', 'given_up', 'no_contest', 'abandoned']),
    ('total', 'game', 1, 'equal', false, 'line', array['sport', 'competition'],
      array['postponement', 'cancelled', 'walkover', 'given_up', 'no_contest', 'abandoned', 'push']),
    ('spread', 'game', 1, 'equal', false, 'line', array['sport', 'competition'],
      array['postponement', 'cancelled', 'walkover', 'given_up', 'abandoned', 'push']),
    ('team_total', 'game', 1, 'equal', false, 'line', array['sport', 'competition'],
      array['postponement', 'cancelled', 'walkover', 'given_up', 'abandoned', 'push']),
    ('advance', 'game', 1, 'equal', false, 'line', array['sport', 'competition'],
      array['postponement', 'cancelled', 'tie', 'walkover', 'given_up', 'abandoned']),
    ('outright', 'race', 0, 'shared', false, 'none', array['sport', 'competition'], array['dead_heat']),
    (
      'weather_high', 'day', 0, 'bands', false, 'strikes', array['location'],
      array['station', 'source', 'day', 'rounding', 'revisions']
    ),
    (
      'weather_low', 'day', 0, 'bands', false, 'strikes', array['location'],
      array['station', 'source', 'day', 'rounding', 'revisions']
    ),
    (
      'crypto_above', 'day', 0, 'twins', true, 'strikes', array['asset'],
      array['index', 'averaging', 'comparison', 'contract']
    ),
    ('fed_decision', 'day', 1, 'choices', true, 'strikes', array['institution'],
      array['cancelled', 'rounding', 'rate', 'emergency', 'announcement']),
    ('cb_decision', 'day', 1, 'choices', true, 'strikes', array['institution'],
      array['cancelled', 'rounding', 'rate', 'emergency', 'announcement']),
    ('econ_print', 'day', 0, 'buckets', false, 'strikes', array['indicator', 'basis'],
      array['source', 'rounding', 'print', 'adjustment', 'missing', 'precision', 'boundary'])
$$;
comment on function catalog.market_families() is
  'The families that are paired, with everything that differs between them. The comment above the '
  'function describes the columns.';
grant execute on function catalog.market_families() to parallax_api;

create function catalog.rate_decision_outcomes() returns table (key text, name text, ordinal integer)
language sql immutable
set search_path = ''
as $$
  values
    ('cut_more_25', 'Cut of more than 25 bp', 0),
    ('cut_25', 'Cut 25 bp', 1),
    ('no_change', 'No change', 2),
    ('hike_25', 'Hike 25 bp', 3),
    ('hike_more_25', 'Hike of more than 25 bp', 4)
$$;
comment on function catalog.rate_decision_outcomes() is
  'The five outcomes of a rate decision, in published order.';

create function catalog.signal_weights() returns table (signal text, about text, state text, weight numeric, why text)
language sql immutable
set search_path = ''
as $$
  values
    -- entity: is it the same question?
    ('participants', 'entity', 'read_twice', 0.00, 'label and code agree for every participant on both venues'),
    ('participants', 'entity', 'read_once', 0.01, 'some participant is known by its label or its code alone'),
    ('participants', 'entity', 'family_name', 0.01, 'a person goes by the family name that both venues print'),
    (
      'participants', 'entity', 'as_printed', 0.02,
      'a participant that the registry does not hold goes by its full name, the same on both venues'
    ),
    ('participants', 'entity', 'by_code', 0.06, 'a person goes by a ticker''s code in a closed list, and by no name'),
    ('participants', 'entity', 'by_elimination', 0.02, 'a participant is the other one of the title'),
    ('competition', 'entity', 'named', 0.00, 'both listings name the competition'),
    (
      'competition', 'entity', 'inferred', 0.06,
      'venue_b names no competition that is known; both sides are known together in one alone'
    ),
    ('occasion', 'entity', 'same_start', 0.00, 'starts within 15 minutes'),
    ('occasion', 'entity', 'near_start', 0.01, 'starts within the hours that a schedule moves'),
    ('occasion', 'entity', 'same_date', 0.01, 'same date, a start unknown'),
    ('occasion', 'entity', 'moved_start', 0.04, 'same date, starts hours apart'),
    ('occasion', 'entity', 'next_date', 0.03, 'dates a day apart, no start, teams that do not meet twice in a row'),
    (
      'occasion', 'entity', 'days_apart', 0.10,
      'the same two players two or three days apart, no text names another day'
    ),
    (
      'occasion', 'entity', 'moved_fixture', 0.10,
      'the only open game of two sides at one ground, on another day: it was moved'
    ),
    (
      'occasion', 'entity', 'short_name', 0.10,
      'the same family names and day, given names that may be short forms of each other'
    ),
    ('occasion', 'entity', 'period', 0.00, 'both name the same year or meeting'),
    ('occasion', 'entity', 'confirmed_race', 0.00, 'a person saw both lists of runners and confirmed the pair'),
    ('occasion', 'entity', 'period_from_end', 0.02, 'the year of one comes from its end date'),
    ('occasion', 'entity', 'period_inferred', 0.10, 'one names no year; it is taken for the season that is on'),
    ('choice', 'entity', 'first', 0.00, 'each is the other''s best candidate'),
    ('choice', 'entity', 'after_others', 0.06, 'left over once better pairs were made'),
    ('outcomes', 'entity', 'equal', 0.00, 'the same outcomes on both venues'),
    ('outcomes', 'entity', 'shared', 0.01, 'some outcome is listed on one venue alone'),
    ('outcomes', 'entity', 'derived', 0.00, 'the same print, but no bucket has a twin: the row stays in REVIEW'),
    ('unconfirmed_league', 'entity', 'text', 0.10, 'the registry does not hold the league; texts alone agree'),
    ('unconfirmed_name', 'entity', 'text', 0.10, 'the registry does not hold a name; texts alone agree'),
    -- resolution: will both settle alike?
    ('rules_a', 'resolution', 'read', 0.00, null),
    ('rules_a', 'resolution', 'none', 0.06, 'venue_a''s listing carries no rules text'),
    ('rules_a', 'resolution', 'unfilled', 0.20, 'venue_a''s rules are a template whose blanks are open'),
    ('rules_a', 'resolution', 'unread', 0.06, 'no sentence of venue_a''s text pays what its fields name'),
    ('rules_b', 'resolution', 'read', 0.00, null),
    ('rules_b', 'resolution', 'none', 0.06, 'venue_b''s listing carries no rules text'),
    ('rules_b', 'resolution', 'unfilled', 0.20, 'venue_b''s rules are a template whose blanks are open'),
    ('rules_b', 'resolution', 'unread', 0.06, 'no sentence of venue_b''s text pays what its fields name'),
    ('fields_a', 'resolution', 'contradicted', 0.20, 'venue_a''s rules speak of something else than its fields'),
    ('fields_b', 'resolution', 'contradicted', 0.20, 'venue_b''s rules speak of something else than its fields'),
    ('fields_a', 'resolution', 'unclear', 0.20, 'venue_a''s rules give two answers to one question'),
    ('fields_b', 'resolution', 'unclear', 0.20, 'venue_b''s rules give two answers to one question'),
    ('postponement', 'resolution', 'same', 0.00, null),
    ('postponement', 'resolution', 'not_stated', 0.01, 'neither text mentions a postponed game'),
    ('postponement', 'resolution', 'one_sided', 0.02, 'one text does not mention a postponed game'),
    ('postponement', 'resolution', 'differs', 0.02, 'they wait for a postponed game for different times'),
    ('cancelled', 'resolution', 'same', 0.00, null),
    ('cancelled', 'resolution', 'not_stated', 0.00, 'neither text mentions a game that is never played'),
    ('cancelled', 'resolution', 'one_sided', 0.01, 'one text does not mention a game that is never played'),
    ('cancelled', 'resolution', 'differs', 0.01, 'they pay differently for a game that is never played'),
    ('tie', 'resolution', 'same', 0.00, null),
    ('tie', 'resolution', 'not_stated', 0.00, 'one text does not mention a tie'),
    ('tie', 'resolution', 'differs', 0.06, 'they pay differently for a tie'),
    (
      'tie', 'resolution', 'both_void', 0.01,
      'both give the stake back for a tie, one at a fair price and one half and half'
    ),
    ('overtime', 'resolution', 'same', 0.00, null),
    ('overtime', 'resolution', 'not_stated', 0.00, 'one text does not mention overtime'),
    ('overtime', 'resolution', 'one_sided', 0.02, 'one text counts regulation alone, the other mentions neither'),
    ('overtime', 'resolution', 'differs', 0.30, 'one counts overtime and the other does not'),
    ('walkover', 'resolution', 'same', 0.00, null),
    ('walkover', 'resolution', 'not_stated', 0.00, 'one text does not mention a side that does not start'),
    ('walkover', 'resolution', 'differs', 0.01, 'they pay differently where a side does not start'),
    ('given_up', 'resolution', 'same', 0.00, null),
    ('given_up', 'resolution', 'not_stated', 0.00, 'one text does not mention a side that gives up after the start'),
    (
      'given_up', 'resolution', 'both_void', 0.02,
      'both give the stake back where a side gives up, one at a fair price and one half and half'
    ),
    ('given_up', 'resolution', 'differs', 0.06, 'they pay differently where a side gives up after the start'),
    ('no_contest', 'resolution', 'same', 0.00, null),
    ('no_contest', 'resolution', 'not_stated', 0.00, 'one text does not mention a no contest'),
    (
      'no_contest', 'resolution', 'both_void', 0.01,
      'both give the stake back for a no contest, one at a fair price and one half and half'
    ),
    ('no_contest', 'resolution', 'differs', 0.06, 'they pay differently for a no contest'),
    ('dead_heat', 'resolution', 'same', 0.00, null),
    ('dead_heat', 'resolution', 'not_stated', 0.00, 'one text does not mention several winners'),
    ('dead_heat', 'resolution', 'differs', 0.03, 'they pay differently for several winners'),
    ('push', 'resolution', 'same', 0.00, null),
    ('push', 'resolution', 'not_stated', 0.00, 'one text does not mention a result on the line'),
    ('push', 'resolution', 'differs', 0.06, 'they pay differently for a result on the line'),
    ('station', 'resolution', 'same', 0.00, null),
    ('station', 'resolution', 'assumed', 0.06, 'a text names no station: it is the one that the venue is known to use'),
    ('station', 'resolution', 'not_stated', 0.06, 'a text names no station, or several'),
    ('station', 'resolution', 'differs', 0.50, 'they measure at different stations'),
    ('source', 'resolution', 'same', 0.00, null),
    ('source', 'resolution', 'not_stated', 0.02, 'one text names no source'),
    ('source', 'resolution', 'differs', 0.03, 'the same figure from different reports'),
    ('day', 'resolution', 'same', 0.00, null),
    ('day', 'resolution', 'not_stated', 0.00, 'one text does not state by which clock the day runs'),
    ('day', 'resolution', 'differs', 0.01, 'the day runs by different clocks'),
    ('index', 'resolution', 'same', 0.00, null),
    ('index', 'resolution', 'not_stated', 0.03, 'one text names no index'),
    ('index', 'resolution', 'differs', 0.03, 'different indices of the same price'),
    ('averaging', 'resolution', 'same', 0.00, null),
    ('averaging', 'resolution', 'not_stated', 0.00, 'one text does not state how the price is taken'),
    ('averaging', 'resolution', 'differs', 0.01, 'the price is taken differently'),
    ('comparison', 'resolution', 'same', 0.00, null),
    ('comparison', 'resolution', 'not_stated', 0.00, 'one text does not state what a price on the threshold means'),
    ('comparison', 'resolution', 'differs', 0.01, 'a price exactly on the threshold means different things'),
    ('rounding', 'resolution', 'same', 0.00, null),
    ('rounding', 'resolution', 'not_stated', 0.00, 'one text does not mention rounding'),
    ('rounding', 'resolution', 'differs', 0.02, 'they round differently'),
    ('revisions', 'resolution', 'same', 0.00, null),
    ('revisions', 'resolution', 'not_stated', 0.00, 'one text does not mention revised figures'),
    ('revisions', 'resolution', 'differs', 0.01, 'they treat revised figures differently'),
    ('announcement', 'resolution', 'same', 0.00, null),
    (
      'announcement', 'resolution', 'not_stated', 0.00,
      'one text does not state whether the announcement or the effect counts'
    ),
    ('announcement', 'resolution', 'differs', 0.03, 'one counts the announcement, the other the effect'),
    ('contract', 'resolution', 'same', 0.00, null),
    ('contract', 'resolution', 'not_stated', 0.00, 'one text names no futures contract'),
    ('contract', 'resolution', 'differs', 0.50, 'the prices of two futures contracts'),
    ('print', 'resolution', 'same', 0.00, null),
    ('print', 'resolution', 'not_stated', 0.00, 'one text does not state whether the first figure counts'),
    ('print', 'resolution', 'differs', 0.06, 'one counts the first figure, the other a later one'),
    ('adjustment', 'resolution', 'same', 0.00, null),
    ('adjustment', 'resolution', 'not_stated', 0.00, 'one text does not mention seasonal adjustment'),
    ('adjustment', 'resolution', 'differs', 0.50, 'one figure is seasonally adjusted, the other is not'),
    ('missing', 'resolution', 'same', 0.00, null),
    ('missing', 'resolution', 'not_stated', 0.00, 'one text does not mention a figure that does not come out'),
    ('missing', 'resolution', 'differs', 0.01, 'they pay differently for a figure that does not come out'),
    ('precision', 'resolution', 'same', 0.00, null),
    ('precision', 'resolution', 'not_stated', 0.00, 'one text does not mention decimals'),
    ('precision', 'resolution', 'differs', 0.02, 'they read the figure to different decimals'),
    ('boundary', 'resolution', 'same', 0.00, null),
    ('boundary', 'resolution', 'not_stated', 0.00, 'one text does not mention a figure on the edge of two buckets'),
    ('boundary', 'resolution', 'differs', 0.01, 'a figure on the edge of two buckets means different things'),
    ('rate', 'resolution', 'same', 0.00, null),
    ('rate', 'resolution', 'not_stated', 0.00, 'one text does not state which rate decides'),
    ('rate', 'resolution', 'differs', 0.06, 'they go by different rates of the bank'),
    ('emergency', 'resolution', 'same', 0.00, null),
    ('emergency', 'resolution', 'not_stated', 0.00, 'one text does not mention a decision between meetings'),
    ('emergency', 'resolution', 'differs', 0.01, 'one counts a decision between meetings'),
    ('side', 'resolution', 'mirrored', 0.01, 'venue_a lists one team''s market; its NO pays for the other team')
$$;
comment on function catalog.signal_weights() is
  'The weight of each state of a signal on its confidence (entity or resolution), and the reason. '
  'A confidence is 1 minus the weights. Below 0.95 only ladders of a review family are published.';

create function catalog.matcher_version() returns text
language sql immutable
set search_path = ''
as $$ select '8' $$;
comment on function catalog.matcher_version() is
  'Raise it with any change of weights, risks or the columns of a pair: the next pass makes every '
  'pair again.';

create function catalog.pair_id_of(p_family text, p_key text, p_occasion text) returns uuid
language plpgsql immutable
set search_path = ''
as $$
begin
  return extensions.uuid_generate_v5(
    '6f1d2c60-4f0e-5a53-9f6b-0d6a8f1c2b47'::uuid, p_family || '|' || p_key || '|' || coalesce(p_occasion, '')
  );
end
$$;
comment on function catalog.pair_id_of(text, text, text) is
  'The id of a question, from its family, its key and the occasion in the ticker of venue_a, '
  'which does not change when a game is moved. The game_id of a total is the id of its moneyline.';

create function catalog.occasion_of(p_identity jsonb, p_on_date date, p_game_no smallint) returns text
language plpgsql stable
set search_path = ''
as $$
begin
  return concat_ws('|', coalesce(p_identity ->> 'occasion', p_identity ->> 'settles_at', p_on_date::text), p_game_no);
end
$$;
comment on function catalog.occasion_of(jsonb, date, smallint) is
  'When a question is played or decided, as the ticker of venue_a states it. It keeps two games '
  'of the same teams apart in catalog.pair_id_of.';

create function catalog.format_terms(p_terms jsonb) returns text
language sql immutable
set search_path = ''
as $$
  select case p_terms ->> 'rules'
    when 'read' then concat_ws(
      ', ',
      case
        when p_terms -> 'patience' = '"until_played"' then 'waits'
        else (p_terms ->> 'patience') || ' h'
      end,
      'never played: ' || (p_terms ->> 'cancelled'),
      (
        select string_agg(replace(t.term, '_', ' ') || ': ' || (p_terms ->> t.term), ', ' order by t.place)
        from unnest(array[
          'tie', 'overtime', 'walkover', 'given_up', 'no_contest', 'abandoned', 'push', 'station', 'source', 'day',
          'index', 'averaging', 'comparison', 'rounding', 'revisions', 'announcement', 'emergency', 'rate', 'missing',
          'precision', 'adjustment', 'boundary', 'death'
        ]) with ordinality as t (term, place)
        where p_terms ? t.term
      )
    )
    else p_terms ->> 'rules'
  end
$$;
comment on function catalog.format_terms(jsonb) is
  'Terms of catalog.extract_terms in one line: the part of a rule_id that comes from one venue.';

create function catalog.compare_term(p_a jsonb, p_b jsonb) returns text
language sql immutable
set search_path = ''
as $$
  select case
    when coalesce(p_a, 'null') = 'null' or coalesce(p_b, 'null') = 'null' then 'not_stated'
    when p_a = p_b then 'same'
    else 'differs'
  end
$$;
comment on function catalog.compare_term(jsonb, jsonb) is
  'same, differs, or not_stated when either text does not mention the term. Silence is not '
  'agreement.';
