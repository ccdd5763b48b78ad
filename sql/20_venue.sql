-- Schema venue: the listings of each venue, and the questions that the parsers make of them. Every
-- normalized row keeps its raw payload, so that a parsed value can be checked against its source.

create schema venue;
revoke all on schema venue from public;
grant usage on schema venue to parallax_api, parallax_ingest;

create domain venue.code as text check (value in ('venue_a', 'venue_b'));
comment on domain venue.code is 'The two venues by the only names that leave this service.';

-- catalog.market_families, which loads later, lists the families. A question of another family is
-- kept but never paired.
create domain venue.market_type as text check (value ~ '^[a-z][a-z_]{0,29}$');
comment on domain venue.market_type is 'The family of a question, market_type on the wire.';

create domain venue.market_state as text
  check (value in ('unopened', 'trading', 'paused', 'closed', 'proposed', 'final', 'gone'));
comment on domain venue.market_state is
  'unopened, trading, paused (may trade again), closed (trading ended), proposed (a result is '
  'proposed), final (paid), gone (no longer listed).';

create table venue.series (
  venue venue.code not null,
  series_id text not null,
  title text,
  category text,
  fee jsonb,
  sources jsonb,
  payload jsonb not null,
  seen_at timestamptz not null,
  primary key (venue, series_id)
);
comment on table venue.series is
  'Groups of events, as the venue defines them. On venue_a a series has the fees and settlement '
  'sources.';
comment on column venue.series.fee is
  'Fee schedule as parsed: {model, multiplier|rate, …}; null when the venue names no known model.';

create table venue.events (
  venue venue.code not null,
  event_id text not null,
  series_id text,
  title text not null,
  url text,
  start_at timestamptz,
  start_source text,
  close_at timestamptz,
  volume numeric check (volume >= 0 and volume < 1e15),
  payload jsonb not null,
  payload_hash text not null,
  first_seen_at timestamptz not null,
  seen_at timestamptz not null,
  changed_at timestamptz not null,
  sweep bigint,
  primary key (venue, event_id)
);
comment on table venue.events is
  'Events as listed: event ticker on venue_a, event slug on venue_b. Without prices and volume.';
comment on column venue.events.start_source is
  'The field that start_at was read from (milestone, gameStartTime …). Venues may be wrong about '
  'it.';
comment on column venue.events.volume is
  'All that was traded in its markets: contracts that pay $1 on venue_a, USD on venue_b. Null '
  'when the venue does not state it. payload_hash does not cover it.';
create index events_by_sweep on venue.events (venue, sweep);

create table venue.markets (
  venue venue.code not null,
  market_id text not null,
  event_id text not null,
  title text,
  state venue.market_state not null,
  open_at timestamptz,
  close_at timestamptz,
  expected_at timestamptz,
  settled_at timestamptz,
  payout numeric(7, 6) check (payout between 0 and 1),
  tick_sizes jsonb,
  min_order numeric,
  fee jsonb,
  match_delay_seconds numeric,
  exchange_index smallint,
  rules text,
  payload jsonb not null,
  payload_hash text not null,
  seen_at timestamptz not null,
  changed_at timestamptz not null,
  primary key (venue, market_id),
  foreign key (venue, event_id) references venue.events (venue, event_id) on delete cascade
);
comment on table venue.markets is
  'One row for each ticker of venue_a and each condition of venue_b.';
comment on column venue.markets.payout is
  'USD that one YES contract (venue_b: one token of outcome 0) was paid; null until final.';
comment on column venue.markets.fee is
  'Fee schedule as parsed: {model, multiplier|rate, waived_until?, …}; null when it is unknown. '
  'Before waived_until the fee is zero.';
comment on column venue.markets.exchange_index is
  'The matching engine of venue_a that trades the market, which can be paused alone; null when it '
  'is not listed, and on venue_b.';
comment on column venue.markets.tick_sizes is
  'Tick sizes by price range: [{start, end, step}] as decimal strings.';
create index markets_by_event on venue.markets (venue, event_id);

create table venue.contracts (
  venue venue.code not null,
  contract_id text not null,
  market_id text not null,
  ordinal smallint not null,
  label text,
  primary key (venue, contract_id),
  foreign key (venue, market_id) references venue.markets (venue, market_id) on delete cascade
);
comment on table venue.contracts is
  'What an order names: the ticker on venue_a (ordinal 0), an outcome token on venue_b (ordinal 0 '
  'or 1).';
create index contracts_by_market on venue.contracts (venue, market_id);

create table venue.questions (
  question_id text primary key,
  venue venue.code not null,
  event_id text not null,
  family venue.market_type not null,
  key text not null,
  on_date date,
  game_no smallint,
  start_at timestamptz,
  close_at timestamptz,
  line numeric,
  game_key text,
  category text not null,
  sport text,
  competition text,
  location text,
  asset text,
  indicator text,
  basis text,
  institution text,
  title text not null,
  home text,
  away text,
  url text,
  exclusive boolean not null,
  excluded_reason text,
  identity jsonb not null,
  terms jsonb not null,
  terms_hash text not null generated always as (md5((terms - 'scheduled_date')::text)) stored,
  content_hash text not null,
  changed_at timestamptz not null,
  foreign key (venue, event_id) references venue.events (venue, event_id) on delete cascade
);
comment on table venue.questions is
  'The question that a listing asks, in canonical terms; one row for each possible market on the '
  'wire. Two venues ask the same question when family and key are equal and the times agree.';
comment on column venue.questions.question_id is
  'venue_a:<event ticker or ticker>, venue_b:<event slug or condition id>.';
comment on column venue.questions.key is
  'The parts of the identity that must be equal (league, stage, participants, scope, line …). The '
  'date is not in it, because the dates of the venues may differ by a day.';
comment on column venue.questions.on_date is
  'Calendar date (New York) in the listing; null where a date is not part of the identity.';
comment on column venue.questions.game_no is '1 or 2 in a doubleheader, else null.';
comment on column venue.questions.game_key is 'Key of the game that a total, spread … belongs to.';
comment on column venue.questions.excluded_reason is
  'Why the parser excludes this question from matching (placeholder, duplicate_listing, '
  'unknown_alias …); null when it may be matched.';
comment on column venue.questions.terms is
  'Settlement terms from texts and fields: {postponement_hours, overtime, void, source, '
  'comparison …}, each with the place where it was read.';
comment on column venue.questions.terms_hash is
  'Equal for all listings with the same wording: without the scheduled day, which belongs to one '
  'game.';
create index questions_by_key on venue.questions (family, key, venue);
create index questions_by_event on venue.questions (venue, event_id);

create table venue.legs (
  question_id text not null references venue.questions (question_id) on delete cascade,
  ordinal smallint not null,
  outcome_key text not null,
  outcome_name text not null,
  market_id text not null,
  contract_id text not null,
  side text check (side in ('yes', 'no')),
  detail jsonb,
  primary key (question_id, ordinal),
  unique (question_id, outcome_key)
);
comment on table venue.legs is
  'The contract that pays $1 when an outcome of the question happens. side is null for an outcome '
  'token.';
comment on column venue.legs.detail is
  'Bucket or threshold of a ladder leg: {low, high, comparison, unit …}.';
create index legs_by_contract on venue.legs (contract_id);

create table venue.rejected_rows (
  rejected_row_id bigint generated always as identity primary key,
  venue venue.code not null,
  kind text not null,
  native_id text not null,
  code text not null,
  detail text not null,
  payload jsonb,
  first_seen_at timestamptz not null default clock_timestamp(),
  last_seen_at timestamptz not null default clock_timestamp(),
  occurrences bigint not null default 1,
  unique (venue, kind, native_id, code)
);
comment on table venue.rejected_rows is
  'Rows of a venue that failed validation, with the reason and a count. The other rows are '
  'processed.';

create table venue.sweeps (
  venue venue.code primary key,
  sweep bigint not null default 0,
  cursor text,
  started_at timestamptz,
  finished_at timestamptz,
  pages integer not null default 0,
  events integer not null default 0,
  attempts integer not null default 0,
  last_error text,
  last_error_at timestamptz
);
comment on column venue.sweeps.attempts is
  'How often the next page was started since the last one was written. Above 1, a call failed or '
  'was killed.';
comment on table venue.sweeps is
  'Progress of the listing sweep of each venue, so that the next call continues where this one '
  'stopped.';

create table venue.feeds (
  venue venue.code primary key,
  source text not null check (source in ('live', 'simulated', 'replay')),
  last_message_at timestamptz,
  last_alive_at timestamptz,
  detail text
);
comment on table venue.feeds is
  'When each venue last sent a message with data, and when it last gave any sign of life.';
comment on column venue.feeds.detail is
  'How the books are read, and what is wrong with it: websocket, or polling, key refused (401). '
  'docs/operations.md lists all parts.';

create table venue.leases (
  name text primary key,
  holder uuid,
  token bigint not null default 0,
  claimed_at timestamptz,
  expires_at timestamptz,
  ttl interval not null default interval '10 seconds' check (ttl > '0'),
  handover_at timestamptz,
  successor uuid,
  successor_expires_at timestamptz
);
comment on table venue.leases is
  'The holder of each lease (listings:venue_a, books:0 …). token rises with each holder; a write '
  'with an older token is rejected (fencing).';
comment on column venue.leases.claimed_at is
  'When a holder last claimed it without a warm-up. The books of the shard are read from then on.';
comment on column venue.leases.ttl is
  'The length of the lease. A lease that expires later than this from now is over: the clock was '
  'set back.';
comment on column venue.leases.handover_at is
  'When the holder plans to stop. A successor may warm up from 20 s before.';

alter table venue.series enable row level security;
alter table venue.series force row level security;
alter table venue.events enable row level security;
alter table venue.events force row level security;
alter table venue.markets enable row level security;
alter table venue.markets force row level security;
alter table venue.contracts enable row level security;
alter table venue.contracts force row level security;
alter table venue.questions enable row level security;
alter table venue.questions force row level security;
alter table venue.legs enable row level security;
alter table venue.legs force row level security;
alter table venue.rejected_rows enable row level security;
alter table venue.rejected_rows force row level security;
alter table venue.sweeps enable row level security;
alter table venue.sweeps force row level security;
alter table venue.feeds enable row level security;
alter table venue.feeds force row level security;
alter table venue.leases enable row level security;
alter table venue.leases force row level security;

create policy "the api reads feed health" on venue.feeds
  for select to parallax_api
  using (true);
grant select on venue.feeds to parallax_api;
