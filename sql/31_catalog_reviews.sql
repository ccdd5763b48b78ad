-- Decisions of operators about what no registry holds: leagues and lists of runners. Names of
-- participants are decided in catalog.aliases. The parsers read the confirmed leagues
-- (functions/ingest/alias_overlay.ts), and catalog.apply_reviews reads the lists of runners.

create table catalog.reviews (
  subject text primary key check (length(subject) between 3 and 500),
  kind text not null check (kind in ('league', 'race', 'names')),
  state text not null check (state in ('confirmed', 'refused', 'postponed', 'withdrawn')),
  league text check (league ~ '^[a-z0-9][a-z0-9-]{0,63}$'),
  series text,
  prefix text,
  definition jsonb,
  ignored_code text,
  postponed_until timestamptz,
  decided_at timestamptz not null,
  decided_by text not null check (length(decided_by) between 1 and 200),
  version bigint not null default nextval('catalog.alias_versions'),
  check ((kind = 'league') = (series is not null and prefix is not null)),
  check (
    kind <> 'league' or state not in ('confirmed', 'withdrawn') or (league is not null and definition is not null)
  ),
  check ((state = 'postponed') = (postponed_until is not null))
);
comment on table catalog.reviews is
  'The present decision about each subject of the review queue. Without a row there is none.';
comment on column catalog.reviews.subject is
  'league:<series of venue_a>:<slug prefix of venue_b>, race:<event of venue_a>:<event of '
  'venue_b>, or names:<league>:<participant>.';
comment on column catalog.reviews.definition is
  'A league as the parsers read it: ConfirmedLeague of '
  'functions/ingest/identity/names/registry_overlay.ts.';
comment on column catalog.reviews.ignored_code is
  'Why the parsers do not apply a confirmed league. Null: they do, or have not read it yet.';
comment on column catalog.reviews.version is 'catalog.alias_versions at the last decision.';
create unique index reviews_one_league on catalog.reviews (league) where kind = 'league' and state = 'confirmed';
create unique index reviews_one_series on catalog.reviews (series) where kind = 'league' and state = 'confirmed';
create unique index reviews_one_prefix on catalog.reviews (prefix) where kind = 'league' and state = 'confirmed';
create index reviews_by_version on catalog.reviews (version) where kind = 'league';
create index reviews_by_league on catalog.reviews (league) where kind = 'league';
alter table catalog.reviews enable row level security;
alter table catalog.reviews force row level security;

create table catalog.review_decisions (
  decision_id bigint generated always as identity primary key,
  subject text not null,
  decision text not null check (decision in ('confirm', 'refuse', 'postpone', 'withdraw')),
  decided_by text not null check (length(decided_by) between 1 and 200),
  decided_at timestamptz not null,
  note text check (length(note) <= 2000),
  evidence jsonb not null
);
comment on table catalog.review_decisions is
  'Append-only: every decision about a subject, with who decided and what they saw.';
create index review_decisions_by_subject on catalog.review_decisions (subject, decision_id);
alter table catalog.review_decisions enable row level security;
alter table catalog.review_decisions force row level security;

create function catalog.registry_version() returns bigint
language sql stable security definer
set search_path = ''
as $$
  select greatest(
    (
      select max(a.version)
      from catalog.aliases a
      where a.source <> 'registry' and a.state in ('confirmed', 'withdrawn')
    ),
    (select max(r.version) from catalog.reviews r where r.kind = 'league' and r.league is not null),
    0
  )
$$;
comment on function catalog.registry_version() is
  'The version of the last decision about a name or a league; 0 without one. Decisions lock their '
  'table, so every older version is committed.';

create function catalog.league_changes(p_since bigint)
returns table (version bigint, subject text, state text, definition jsonb)
language sql stable security definer
set search_path = ''
as $$
  select r.version, r.subject, r.state, r.definition
  from catalog.reviews r
  where r.kind = 'league'
    and r.league is not null
    and r.version > p_since
  order by r.version
$$;
comment on function catalog.league_changes(bigint) is
  'Leagues that were confirmed, or are confirmed no longer, after a version, by version.';

create function catalog.record_ignored_leagues(p_version bigint, p_codes jsonb) returns void
language sql volatile security definer
set search_path = ''
as $$
  update catalog.reviews r
  set ignored_code = left(p_codes ->> r.league, 100)
  where r.kind = 'league'
    and r.state = 'confirmed'
    and r.version <= p_version
    and r.ignored_code is distinct from left(p_codes ->> r.league, 100)
$$;
comment on function catalog.record_ignored_leagues(bigint, jsonb) is
  'The parsers read the leagues up to p_version and ignore those of p_codes: {league: code}.';

revoke all on function
  catalog.registry_version(),
  catalog.league_changes(bigint),
  catalog.record_ignored_leagues(bigint, jsonb)
from public;
grant execute on function
  catalog.registry_version(),
  catalog.league_changes(bigint),
  catalog.record_ignored_leagues(bigint, jsonb)
to parallax_ingest;
