-- Schema arb: opportunities, in which one contract of every outcome, bought across both venues,
-- costs less than the $1 that one of them pays, fees included. The engine (functions/ingest/engine)
-- finds what the books offer. This schema applies the gates, keeps every state of an opportunity,
-- and records why it ended. Prices are integers of 1e-6 USD, sizes of 0.01 contract, times are
-- market time.

create schema arb;
revoke all on schema arb from public;
grant usage on schema arb to parallax_api;

create table arb.settings (
  singleton boolean primary key default true check (singleton),
  keep_opportunities interval not null default interval '30 days',
  keep_rejections interval not null default interval '7 days',
  keep_reports interval not null default interval '180 days',
  max_open_reports integer not null default 100 check (max_open_reports > 0),
  max_open_report_bytes bigint not null default 16777216 check (max_open_report_bytes > 0)
);
comment on table arb.settings is
  'The one row of settings: retention of closed opportunities, rejections and reports, and how '
  'many reports (and bytes) of an organization may wait for a verdict.';
insert into arb.settings (singleton) values (true) on conflict do nothing;

create table arb.opportunities (
  opportunity_id uuid primary key,
  pair_id uuid not null,
  opened_at timestamptz not null,
  closed_at timestamptz not null default 'infinity',
  close_reason text,
  last_update_at timestamptz not null,
  recorded_at timestamptz not null default clock_timestamp(),
  retracted_at timestamptz,
  in_history boolean not null default false,
  check (closed_at > opened_at or retracted_at is not null),
  check ((closed_at = 'infinity') = (close_reason is null))
);
comment on table arb.opportunities is
  'One row for each opportunity from open to close. The id is derived from the pair and '
  'opened_at, so a flush that is written twice makes no second row.';
comment on column arb.opportunities.closed_at is
  'infinity while it is open. When a book became invalid, the last time at which it was valid.';
comment on column arb.opportunities.close_reason is
  'edge.gone, or a code of a book guard (book.gap, lease.expired …), of a rejection '
  '(size.below_minimum …), of a gate (parity.withdrawn …) or of the pair (pair.resolving …).';
comment on column arb.opportunities.last_update_at is
  'Market time of the newest price update that was applied. Older ones are ignored.';
comment on column arb.opportunities.recorded_at is
  'Real time at which the opening was written. Its distance from opened_at is the whole detection '
  'time.';
comment on column arb.opportunities.retracted_at is
  'Set when it opened on a book that was already invalid. It is never served.';
comment on column arb.opportunities.in_history is
  'Whether arb.history has its present end. Each close sets it to false.';
create unique index opportunities_open on arb.opportunities (pair_id) where closed_at = 'infinity';
create index opportunities_by_pair on arb.opportunities (pair_id, opened_at);
create index opportunities_by_close on arb.opportunities (closed_at);
create index opportunities_not_in_history on arb.opportunities (closed_at) where not in_history;

create table arb.opportunity_states (
  opportunity_id uuid not null references arb.opportunities (opportunity_id) on delete cascade,
  state_no bigint generated always as identity,
  from_at timestamptz not null,
  priced_at timestamptz not null,
  cost integer not null check (cost between 1 and 999999),
  size bigint not null check (size > 0),
  total_cost bigint not null check (total_cost = ceil(cost * size::numeric / 100)),
  legs jsonb not null check (jsonb_typeof(legs) = 'array'),
  size_curve jsonb not null check (jsonb_typeof(size_curve) = 'array'),
  read_a timestamptz,
  read_b timestamptz,
  retracted boolean not null default false,
  primary key (opportunity_id, state_no)
);
comment on table arb.opportunity_states is
  'The terms of an opportunity from from_at on. Every change is kept, so that any past moment can '
  'be served.';
comment on column arb.opportunity_states.priced_at is
  'When its selected asks or its size last changed. Deeper levels of the size curve change '
  'from_at only.';
comment on column arb.opportunity_states.total_cost is 'cost · size in 1e-6 USD, rounded up.';
comment on column arb.opportunity_states.legs is
  'In outcome order: [{key, venue, side, contract, ask, fee, stake, size, delay, label, '
  'question}]. ask, fee, stake in 1e-6, size in 0.01 contract, delay in seconds.';
comment on column arb.opportunity_states.size_curve is
  '[{size, cost}]: the exact cost of buying from the books, 1e-8 USD as a decimal string.';
comment on column arb.opportunity_states.retracted is
  'Computed from a book that was already invalid. Never served.';

create table arb.rejections (
  pair_id uuid not null,
  stage text not null check (stage in ('decision', 'serving')),
  reason text not null,
  subject text,
  first_at timestamptz not null,
  last_at timestamptz not null,
  occurrences bigint not null default 1,
  primary key (pair_id, stage, reason)
);
comment on table arb.rejections is
  'Possible opportunities that failed a rule. stage decision: there was an edge, and a rule of '
  'the arithmetic failed; serving: an open one that could not be served.';
create index rejections_by_time on arb.rejections (last_at);

create table arb.reports (
  report_id uuid primary key default gen_random_uuid(),
  org_id uuid not null references account.organizations (org_id) on delete cascade,
  key_id uuid references account.keys (key_id) on delete set null,
  opp_id text,
  opportunity_id uuid,
  reason text,
  sport text,
  market text,
  detail text,
  extra_fields jsonb,
  evidence jsonb,
  received_at timestamptz not null default clock_timestamp(),
  verdict text check (verdict in ('upheld', 'dismissed')),
  note text,
  reviewed_at timestamptz,
  request_id text default base.current_request_id(),
  check ((verdict is null) = (reviewed_at is null))
);
comment on table arb.reports is
  'Reports of users that an opportunity was none, for review. Real time, like everything that '
  'people do.';
comment on column arb.reports.opportunity_id is
  'The opportunity of opp_id; null when there is none.';
comment on column arb.reports.evidence is
  'The opportunity with its states, pair, gates and risks at the time of the report, because '
  'their rows are purged.';
comment on column arb.reports.verdict is
  'Of an operator (arb.review_report). upheld: it was no arbitrage; dismissed: it was one. Null '
  'until a review.';
comment on column arb.reports.note is 'The answer of the operator to the organization.';
comment on column arb.reports.extra_fields is 'Other fields of the body, as they were sent.';
comment on column arb.reports.request_id is
  'The request of the report, as in the logs of the functions.';
create index reports_by_org on arb.reports (org_id, received_at);
create index reports_waiting on arb.reports (org_id) where verdict is null;
create index reports_by_key on arb.reports (key_id);
create index reports_by_time on arb.reports (received_at);

alter table arb.settings enable row level security;
alter table arb.settings force row level security;
alter table arb.opportunities enable row level security;
alter table arb.opportunities force row level security;
alter table arb.opportunity_states enable row level security;
alter table arb.opportunity_states force row level security;
alter table arb.rejections enable row level security;
alter table arb.rejections force row level security;
alter table arb.reports enable row level security;
alter table arb.reports force row level security;

create policy "the api reads opportunities" on arb.opportunities for select to parallax_api using (true);
create policy "the api reads opportunity states" on arb.opportunity_states for select to parallax_api using (true);
create policy "an organization reads its own reports" on arb.reports
  for select to parallax_api
  using (org_id = (select account.current_org()));
grant select on arb.opportunities, arb.opportunity_states, arb.reports to parallax_api;

create function arb.purge_expired(p_limit integer default 2000) returns integer
language plpgsql volatile
set search_path = ''
as $$
declare
  v_deleted integer;
begin
  with old as (
    select o.opportunity_id
    from arb.opportunities o
    cross join arb.settings s
    where o.closed_at < clock.now() - s.keep_opportunities
    order by o.closed_at
    limit p_limit
  ), history_gone as (
    delete from arb.history h
    using old
    where h.opportunity_id = old.opportunity_id
  )
  delete from arb.opportunities o
  using old
  where o.opportunity_id = old.opportunity_id;
  get diagnostics v_deleted = row_count;
  delete from arb.rejections r
  using arb.settings s
  where r.last_at < clock.now() - s.keep_rejections;
  delete from arb.reports r
  using arb.settings s
  where r.received_at < clock_timestamp() - s.keep_reports;
  return v_deleted;
end
$$;
comment on function arb.purge_expired(integer) is
  'Retention: deletes expired opportunities (at most p_limit), rejections and reports. Returns '
  'the number of opportunities.';
