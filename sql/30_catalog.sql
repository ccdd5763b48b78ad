-- Schema catalog: which listings of the two venues ask the same question, with which confidence,
-- and how the two contracts may settle differently.

create schema catalog;
revoke all on schema catalog from public;
grant usage on schema catalog to parallax_api, parallax_ingest;

create sequence catalog.change_numbers;
comment on sequence catalog.change_numbers is
  'Rises with every visible change of a pair. The snapshot renders the pairs with a newer number.';

create function catalog.severity_rank(p_severity text) returns integer
language sql immutable parallel safe
return array_position(array['critical', 'high', 'medium', 'low'], p_severity);
comment on function catalog.severity_rank(text) is
  'The order of severities: 1 for critical to 4 for low.';
revoke all on function catalog.severity_rank(text) from public;
grant execute on function catalog.severity_rank(text) to parallax_api;

create table catalog.assessments (
  assessment_id text primary key,
  signals jsonb not null check (jsonb_typeof(signals) = 'array'),
  risks jsonb not null check (
    jsonb_typeof(risks) = 'array'
    and not jsonb_path_exists(
      risks,
      '$[*] ? (!(@.severity == "low" || @.severity == "medium" || @.severity == "high" || @.severity == "critical"))'
    )
  ),
  blocking_risk text generated always as (coalesce(
    jsonb_path_query_first(risks, '$[*] ? (@.severity == "critical").event') #>> '{}',
    jsonb_path_query_first(risks, '$[*] ? (@.severity == "high").event') #>> '{}'
  )) stored
);
comment on table catalog.assessments is
  'Named signals [{signal, state, about, weight}] and settlement risks [{event, severity, note}]. '
  'Many pairs share one. The id is a digest of the content, so a row never changes.';
comment on column catalog.assessments.blocking_risk is
  'The first critical risk, else the first high one, internal risks included. Null opens the risk '
  'gate.';

create table catalog.pairs (
  pair_id uuid primary key,
  slug text,
  question_a text not null,
  question_b text not null,
  key text not null,
  market_type venue.market_type not null,
  stage text not null check (stage in ('catalog', 'candidate')),
  band text not null check (band in ('EXACT', 'HIGH', 'REVIEW')),
  entity_confidence numeric(4, 3) not null check (entity_confidence between 0 and 1),
  resolution_confidence numeric(4, 3) not null check (resolution_confidence between 0 and 1),
  assessment_id text not null references catalog.assessments (assessment_id),
  rule_id text not null,
  input_hash text not null,
  category text not null,
  sport text,
  competition text,
  location text,
  asset text,
  indicator text,
  basis text,
  institution text,
  tags text[] not null default '{}',
  title text not null,
  home text,
  away text,
  start_time timestamptz not null,
  has_scheduled_start boolean not null,
  status text not null default 'open' check (status in ('open', 'live', 'resolving', 'closed', 'settled')),
  line numeric,
  game_id uuid,
  closes_a timestamptz,
  closes_b timestamptz,
  omitted_outcomes jsonb,
  url_a text,
  url_b text,
  event_a text not null,
  event_b text not null,
  condition_b text,
  slug_b text,
  text_a text,
  text_b text,
  result jsonb,
  shard_key smallint not null,
  change_no bigint not null default nextval('catalog.change_numbers'),
  created_at timestamptz not null,
  updated_at timestamptz not null,
  withdrawn_at timestamptz,
  withdrawn_code text
);
comment on table catalog.pairs is
  'One row for each market: a question of venue_a and the same question of venue_b. The id is '
  'derived from the question, so every pass finds the same row.';
comment on column catalog.pairs.stage is
  'catalog: published; candidate: listed with signal=candidates only.';
comment on column catalog.pairs.rule_id is
  'The resolution rule: family, competition and the terms of both venues. Parity is confirmed for '
  'a rule, never for a single pair.';
comment on column catalog.pairs.input_hash is
  'Digest of all inputs of the row. The match pass makes the row again only when it changes.';
comment on column catalog.pairs.has_scheduled_start is
  'False for futures and ladders, which are never live: their start_time is the earlier close.';
comment on column catalog.pairs.omitted_outcomes is
  'Outcomes that are not in the row: {left_out_a, left_out_b}, each with its name and the reason.';
comment on column catalog.pairs.shard_key is
  '0 to 63, never changed. The holder of shard (shard_key mod price.settings.shards) reads its '
  'books.';
comment on column catalog.pairs.change_no is 'catalog.change_numbers at the last visible change.';
comment on column catalog.pairs.updated_at is
  'Market time of the last identity change. A status change raises change_no only.';
comment on column catalog.pairs.withdrawn_at is
  'Set when the match no longer holds. Such a pair is in no response, and its id stays reserved.';
create index pairs_by_change on catalog.pairs (change_no);
create unique index pairs_one_for_a on catalog.pairs (question_a) where withdrawn_at is null;
create unique index pairs_one_for_b on catalog.pairs (question_b) where withdrawn_at is null;

-- Neither outcomes nor strikes have a foreign key: its check of each row took a tenth of a match
-- pass. Only the pass writes them, for pairs that it has just written, and
-- catalog.purge_withdrawn_pairs deletes them together with the pair, under the lock of the pass.
create table catalog.outcomes (
  pair_id uuid not null,
  ordinal smallint not null,
  key text not null,
  name text not null,
  market_a text,
  contract_a text,
  side_a text check (side_a in ('yes', 'no')),
  market_b text,
  contract_b text,
  relation text check (relation in ('EXACT', 'OVERLAPS', 'DERIVED')),
  span text[],
  primary key (pair_id, ordinal),
  unique (pair_id, key)
);
comment on table catalog.outcomes is
  'The outcomes of a pair in published order, with the contract of each venue that pays for it.';
comment on column catalog.outcomes.contract_a is
  'Ticker; null where venue_a has no contract for exactly this outcome (OVERLAPS, DERIVED).';
comment on column catalog.outcomes.side_a is
  'Usually yes; no where venue_a lists a market for the other team only.';
comment on column catalog.outcomes.relation is 'Ladder families only; null elsewhere.';
comment on column catalog.outcomes.span is
  'For OVERLAPS: labels of the venue_a ranges that the venue_b range overlaps.';

create table catalog.strikes (
  pair_id uuid not null,
  ordinal smallint not null,
  label text not null,
  market_a text not null,
  contract_a text not null,
  primary key (pair_id, ordinal)
);
comment on table catalog.strikes is
  'All strikes of venue_a for a ladder pair, in order, with their YES contracts.';

create view catalog.pair_risks with (security_invoker = true) as
select p.pair_id, r.event, r.severity, r.note
from catalog.pairs p
join catalog.assessments j on j.assessment_id = p.assessment_id
cross join lateral jsonb_to_recordset(j.risks) as r (event text, severity text, note text);
comment on view catalog.pair_risks is
  'How the two contracts of a pair may settle differently. Events that begin with cancel_ count '
  'in the signal and are never published.';

create table catalog.rules (
  rule_id text primary key,
  description text not null,
  first_seen_at timestamptz not null,
  agreeing integer not null default 0 check (agreeing >= 0),
  diverging integer not null default 0 check (diverging >= 0),
  edge_cases integer not null default 0 check (edge_cases >= 0),
  confirmed_at timestamptz,
  confirmed_because text,
  withdrawn_at timestamptz,
  parity_change_no bigint,
  record_agreeing bigint not null default 0 check (record_agreeing >= 0),
  record_diverging bigint not null default 0 check (record_diverging >= 0),
  record_bound numeric(7, 6) not null default 1 check (record_bound between 0 and 1),
  family text not null generated always as (split_part(rule_id, ' / ', 1)) stored,
  competition text,
  scope text generated always as (
    case when split_part(rule_id, ' / ', 2) not like 'venue_a: %' then nullif(split_part(rule_id, ' / ', 2), '') end
  ) stored,
  state text not null default 'unconfirmed'
    check (state in ('confirmed', 'pooled', 'unconfirmed', 'withdrawn', 'refused')),
  first_at timestamptz,
  last_at timestamptz,
  pool_key text,
  pool_rules integer,
  pool_agreeing bigint,
  pool_bound numeric(7, 6)
);
create index rules_by_pool on catalog.rules (pool_key) where pool_key is not null;
comment on table catalog.rules is
  'Resolution rules with their record: occasions on which the venues paid the same or not. A rule '
  'is unconfirmed until enough occasions agree.';
comment on column catalog.rules.agreeing is
  'Occasions seen by this service, live or in the settled history of the venues, on which every '
  'settled pair of the rule paid the same on both venues.';
comment on column catalog.rules.competition is
  'The competition of its pairs by its name, as in /v2/markets; null outside sports.';
comment on column catalog.rules.scope is
  'The scope in its id: the code of a competition, or an institution, asset, place or indicator.';
comment on column catalog.rules.first_at is
  'Settlement of the first occasion of the record; last_at: of the last one.';
comment on column catalog.rules.pool_key is
  'Digest of the family, the terms and the forms of the texts. Rules with the same key may be '
  'pooled. Null while no settled text was read.';
comment on column catalog.rules.pool_rules is
  'Rules of its pool, with their occasions (pool_agreeing) and their bound. Null without a pool.';
comment on column catalog.rules.diverging is
  'Occasions on which a pair of the rule paid differently, including refunds at two prices.';
comment on column catalog.rules.edge_cases is
  'Agreeing occasions on which both venues paid the same amount other than $1 or $0.';
comment on column catalog.rules.confirmed_because is
  'The record and its bound in one sentence; also set for an unconfirmed rule.';
comment on column catalog.rules.parity_change_no is
  'catalog.change_numbers when parity was last confirmed or withdrawn. Older pairs are published '
  'again.';
comment on column catalog.rules.record_agreeing is
  'All agreeing occasions that count for parity: seen by this service or loaded from a backtest.';
comment on column catalog.rules.record_diverging is
  'All diverging occasions that count for parity, without those that a review dismissed.';
comment on column catalog.rules.record_bound is
  'One-sided upper bound of the divergence rate from this record; 1 without a record.';
comment on column catalog.rules.withdrawn_at is
  'When a divergence withdrew the confirmation. Stays set until an operator has reviewed it.';

create table catalog.rejections (
  question_a text not null,
  question_b text not null,
  code text not null,
  detail text not null,
  evidence jsonb,
  seen_at timestamptz not null,
  primary key (question_a, question_b, code)
);
comment on table catalog.rejections is
  'Look-alikes that were not paired, with a code and a sentence: evidence that a pair was '
  'considered.';
comment on column catalog.rejections.seen_at is
  'When this rejection was first made with this sentence. A rejection that no longer applies is '
  'deleted.';

create table catalog.match_passes (
  pass_id bigint generated always as identity primary key,
  started_at timestamptz not null,
  finished_at timestamptz,
  pairs integer,
  created integer,
  changed integer,
  withdrawn integer,
  refused integer
);
comment on table catalog.match_passes is
  'Each match pass that changed something, and the newest one that changed nothing.';

alter table catalog.assessments enable row level security;
alter table catalog.assessments force row level security;
alter table catalog.pairs enable row level security;
alter table catalog.pairs force row level security;
alter table catalog.outcomes enable row level security;
alter table catalog.outcomes force row level security;
alter table catalog.strikes enable row level security;
alter table catalog.strikes force row level security;
alter table catalog.rules enable row level security;
alter table catalog.rules force row level security;
alter table catalog.rejections enable row level security;
alter table catalog.rejections force row level security;
alter table catalog.match_passes enable row level security;
alter table catalog.match_passes force row level security;

create policy "the api reads pairs" on catalog.pairs for select to parallax_api using (true);
create policy "the api reads outcomes" on catalog.outcomes for select to parallax_api using (true);
create policy "the api reads strikes" on catalog.strikes for select to parallax_api using (true);
create policy "the api reads assessments" on catalog.assessments for select to parallax_api using (true);
create policy "the api reads rules" on catalog.rules for select to parallax_api using (true);
grant select on catalog.assessments, catalog.pairs, catalog.outcomes, catalog.strikes, catalog.pair_risks, catalog.rules
to parallax_api;
