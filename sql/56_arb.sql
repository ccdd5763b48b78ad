-- Room arb: windows in which buying one contract of every outcome across both venues costs less than the $1 that one of them pays,
-- fees included. The engine (functions/ingest/engine) finds what the books offer; this room decides what counts, keeps every state
-- that it went through, and says why a window ended. Prices are integers of 1e-6 USD, sizes of 0.01 contract, times market time.

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
  'The one row of settings: how long closed windows with their states, refusals and reports are kept; how many reports of one organization may wait for a verdict, and how much they may hold.';
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
  check (closed_at > opened_at or retracted_at is not null),
  check ((closed_at = 'infinity') = (close_reason is null))
);
comment on table arb.opportunities is
  'One row from the moment an opportunity opens until it closes. The id comes from the pair and that moment, so a flush that is written twice makes no second window.';
comment on column arb.opportunities.closed_at is 'infinity while it is open. Where a book turned out not to be true any more, the last moment at which it was.';
comment on column arb.opportunities.close_reason is 'edge.gone, or what made it end: a guard of the books (book.gap, feed.silent, lease.expired …), a refusal of the arithmetic (size.below_minimum …), a gate (parity.withdrawn, risk.walkover …), the pair (pair.withdrawn, pair.resolving …).';
comment on column arb.opportunities.last_update_at is 'Market time of the newest frame that said something about it: older ones come too late.';
comment on column arb.opportunities.recorded_at is 'Real time at which the opening was written here: what detection took in all.';
comment on column arb.opportunities.retracted_at is 'Set when it opened on a book that was already wrong: such a window was never there and is never served.';
create unique index opportunities_open on arb.opportunities (pair_id) where closed_at = 'infinity';
create index opportunities_by_pair on arb.opportunities (pair_id, opened_at);
create index opportunities_by_close on arb.opportunities (closed_at);

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
comment on table arb.opportunity_states is 'What a window offered from from_at on, every change of it kept, so that any past moment can be served.';
comment on column arb.opportunity_states.priced_at is 'When its selected asks or its size last changed; deeper levels of the ladder alone move from_at.';
comment on column arb.opportunity_states.total_cost is 'cost · size in 1e-6 USD, rounded up.';
comment on column arb.opportunity_states.legs is 'In outcome order: [{key, venue, side, contract, ask, fee, stake, size, delay, label, question}]; ask, fee and stake in 1e-6, size in 0.01 contract, delay in seconds; label, question as arb.name_contracts adds them.';
comment on column arb.opportunity_states.size_curve is '[{size, cost}]: the exact cost of walking the books, 1e-8 USD as a decimal string.';
comment on column arb.opportunity_states.retracted is 'Read from a book that turned out not to have been true then: never served.';

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
  'What looked like an opportunity and was not one, with the reason. decision: there was an edge and a rule of the arithmetic forbade it; serving: a window that could not be shown any more when somebody asked.';
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
comment on table arb.reports is 'What users say is no arbitrage, for review. Real time, as everything that people do.';
comment on column arb.reports.opportunity_id is 'Of opp_id, where it is one that we know.';
comment on column arb.reports.evidence is 'The window with all its states, its pair, gates and risks as they stood when the report came: the rows themselves are dropped in time.';
comment on column arb.reports.verdict is 'An operator''s (arb.review_report). upheld: it was no arbitrage; dismissed: it was one. Null until somebody has looked.';
comment on column arb.reports.note is 'What the operator has to say to those who reported.';
comment on column arb.reports.extra_fields is 'Further fields of the body, as they were sent.';
comment on column arb.reports.request_id is 'The request that it came with, as the logs of the functions name it.';
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

create policy "the api reads windows" on arb.opportunities for select to parallax_api using (true);
create policy "the api reads states" on arb.opportunity_states for select to parallax_api using (true);
create policy "an organization reads its own reports" on arb.reports
  for select to parallax_api
  using (org_id = (select account.current_org()));
grant select on arb.opportunities, arb.opportunity_states, arb.reports to parallax_api;

create function arb.purge_expired(p_limit integer default 2000) returns integer
language plpgsql volatile
set search_path = ''
as $$
declare
  v_gone integer;
begin
  with old as (
    select w.opportunity_id
    from arb.opportunities w
    cross join arb.settings s
    where w.closed_at < clock.now() - s.keep_opportunities
    order by w.closed_at
    limit p_limit
  )
  delete from arb.opportunities w
  using old
  where w.opportunity_id = old.opportunity_id;
  get diagnostics v_gone = row_count;
  delete from arb.rejections r
  using arb.settings s
  where r.last_at < clock.now() - s.keep_rejections;
  delete from arb.reports r
  using arb.settings s
  where r.received_at < clock_timestamp() - s.keep_reports;
  return v_gone;
end
$$;
comment on function arb.purge_expired(integer) is 'Retention of this room, at most so many windows a call. Returns how many windows went.';
