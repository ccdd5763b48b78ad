-- What a backtest keeps: how far it has read each scope, the occasions on which both venues
-- settled, and every divergence with its evidence.

create table catalog.backtest_scopes (
  scope text primary key,
  state text not null default 'waiting' check (state in ('waiting', 'reading', 'matching', 'done', 'failed')),
  days integer not null check (days between 1 and 4000),
  from_at timestamptz,
  until_at timestamptz,
  pairs integer not null default 0,
  unsettled integer not null default 0,
  occasions integer not null default 0,
  diverging integer not null default 0,
  requested_at timestamptz not null,
  started_at timestamptz,
  finished_at timestamptz,
  failures integer not null default 0,
  retry_at timestamptz,
  last_error text
);
comment on table catalog.backtest_scopes is
  'One row for each scope of a rule (a competition, an asset, a city, an institution) whose '
  'settled history is read, was read or waits.';
comment on column catalog.backtest_scopes.from_at is
  'Start of the history in market time. Listings that closed before it are left out.';
comment on column catalog.backtest_scopes.pairs is
  'Settled pairs that were compared at the last read; unsettled: pairs without both results.';
comment on column catalog.backtest_scopes.started_at is
  'Real time, as finished_at and retry_at: the rate of the backtest follows from them.';

create table catalog.backtest_sources (
  scope text not null references catalog.backtest_scopes (scope) on delete cascade,
  venue venue.code not null,
  kind text not null check (kind in ('events', 'historical', 'series', 'tag')),
  filter text not null check (filter <> ''),
  cursor text,
  pages integer not null default 0,
  events integer not null default 0,
  is_finished boolean not null default false,
  primary key (scope, venue, kind, filter)
);
comment on table catalog.backtest_sources is
  'The lists of settled listings that a scope reads, each with its cursor, so that the next call '
  'continues where this one stopped.';
comment on column catalog.backtest_sources.kind is
  'venue_a: events of a series, and its historical markets beyond the cutoff; venue_b: closed '
  'events of a series or of a tag.';

create table catalog.backtest_occasions (
  rule_id text not null references catalog.rules (rule_id),
  occasion text not null,
  diverged boolean not null,
  odd boolean not null,
  pairs integer not null check (pairs > 0),
  settled_at timestamptz not null,
  primary key (rule_id, occasion)
);
comment on table catalog.backtest_occasions is
  'Occasions on which both venues settled, as read from their own history. An occasion that this '
  'service also saw live has the same name there and counts once.';
comment on column catalog.backtest_occasions.odd is 'A venue paid an amount other than $1 or $0.';

create table catalog.backtest_divergences (
  rule_id text not null references catalog.rules (rule_id),
  pair_id uuid not null,
  occasion text not null,
  settled_at timestamptz not null,
  listing_a jsonb not null,
  listing_b jsonb not null,
  text_a text,
  text_b text,
  paid jsonb not null,
  primary key (rule_id, pair_id)
);
comment on table catalog.backtest_divergences is
  'Evidence of each divergence that a backtest found: both listings, both texts and both results. '
  'Rows are kept.';
comment on column catalog.backtest_divergences.paid is
  '[{outcome, venue_a, venue_b}]: what each outcome was paid, in USD for one contract.';

create table catalog.rule_texts (
  rule_id text not null references catalog.rules (rule_id),
  text_form text not null,
  primary key (rule_id, text_form)
);
comment on table catalog.rule_texts is
  'Digests of both texts of the settled pairs of a rule, without names, dates and numbers. Rules '
  'with the same forms may be pooled.';

alter table catalog.backtest_scopes enable row level security;
alter table catalog.backtest_scopes force row level security;
alter table catalog.backtest_sources enable row level security;
alter table catalog.backtest_sources force row level security;
alter table catalog.backtest_occasions enable row level security;
alter table catalog.backtest_occasions force row level security;
alter table catalog.backtest_divergences enable row level security;
alter table catalog.backtest_divergences force row level security;
alter table catalog.rule_texts enable row level security;
alter table catalog.rule_texts force row level security;

-- One worker runs the backtest at a time.
insert into venue.leases (name) values ('backtest') on conflict do nothing;
