-- The types that the stages of the match pass return and take. catalog.run_match_pass calls the
-- stages in order. Each stage is a function of arrays of these types and of the tables, so it can
-- be read and called alone.
--
-- Arrays instead of temporary tables: a session plans the query of a stage for the rows that it
-- gets, and nothing has to be analyzed or dropped. Each stage runs once in a pass, with a plan for
-- its own arrays (plan_cache_mode): a plan for arrays of unknown length joins 20,000 rows in nested
-- loops.

create type catalog.candidate as (
  question_a text,
  question_b text,
  family venue.market_type,
  wanted text,
  days integer,
  minutes numeric,
  rematch text,
  occasion text,
  legs_a bigint,
  legs_b bigint,
  legs_both bigint,
  rank numeric,
  rejected text,
  round integer
);
comment on type catalog.candidate is
  'Two questions with equal keys and near dates. rejected: the code of the failed rule; round: '
  'the round that chose the pair; both null: undecided.';

create type catalog.chosen_pair as (
  pair_id uuid,
  question_a text,
  question_b text,
  occasion text,
  round integer,
  legs_a bigint,
  legs_b bigint,
  legs_both bigint,
  review boolean,
  wanted text,
  words jsonb,
  input_hash text,
  text_a text,
  text_b text,
  terms_a text,
  terms_b text,
  market_type venue.market_type,
  same_station boolean,
  kind_a text,
  grid numeric
);
comment on type catalog.chosen_pair is
  'A chosen candidate that is new, or whose listings changed since its pair was written. wanted, '
  'same_station, kind_a and grid control how its legs are matched.';

create type catalog.assessed_pairs as (
  pair_ids uuid[],
  assessment_id text,
  signals jsonb,
  risks jsonb,
  rule_id text,
  entity numeric,
  resolution numeric,
  unread boolean
);
comment on type catalog.assessed_pairs is
  'Chosen pairs of one kind, with the signals, risks, rule and confidences that they share.';

create type catalog.pair_leg as (
  pair_id uuid,
  wanted text,
  key text,
  name text,
  ordinal_a smallint,
  market_a text,
  contract_a text,
  side_a text,
  ordinal_b smallint,
  market_b text,
  contract_b text,
  range_b numrange,
  may_be_twin boolean
);
comment on type catalog.pair_leg is
  'An outcome of either question of a chosen pair, with the contract of each venue that lists it.';

create type catalog.new_pair as (
  pair_id uuid,
  slug text,
  question_a text,
  question_b text,
  key text,
  market_type venue.market_type,
  stage text,
  band text,
  entity_confidence numeric,
  resolution_confidence numeric,
  assessment_id text,
  rule_id text,
  category text,
  sport text,
  competition text,
  location text,
  asset text,
  indicator text,
  basis text,
  institution text,
  tags text[],
  title text,
  home text,
  away text,
  start_time timestamptz,
  has_scheduled_start boolean,
  line numeric,
  game_id uuid,
  closes_a timestamptz,
  closes_b timestamptz,
  omitted_outcomes jsonb,
  url_a text,
  url_b text,
  event_a text,
  event_b text,
  condition_b text,
  slug_b text,
  text_a text,
  text_b text,
  input_hash text
);
comment on type catalog.new_pair is 'The columns of catalog.pairs that the match pass writes.';

create type catalog.changed_pair as (
  pair_id uuid,
  created boolean
);
comment on type catalog.changed_pair is 'A pair that is new or differs from its stored row.';

create type catalog.outcome_key as (
  pair_id uuid,
  match_key text,
  key text
);
comment on type catalog.outcome_key is 'A row of catalog.outcome_keys, which loads later.';
