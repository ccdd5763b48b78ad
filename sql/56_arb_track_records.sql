-- The track record: every opportunity that was served, with its terms at that moment, and what its
-- contracts paid in the end. An opportunity is served when the stream publishes it
-- (stream.opportunity_frames) or REST returns it (arb.list_servable), whichever comes first. Both
-- call arb.record_served in the transaction that serves, so a crash loses neither or both.
--
-- The record has no foreign key to opportunities and pairs, because they are purged and it is kept.
-- It takes results from the contracts and not from the pair: an opportunity counts also when its
-- pair is withdrawn afterwards. Otherwise a wrong match would disappear from the record.

create table arb.track_records (
  opportunity_id uuid primary key,
  pair_id uuid not null,
  family text not null,
  competition text,
  title text not null,
  opened_at timestamptz not null,
  closed_at timestamptz not null,
  served_at timestamptz not null,
  size bigint not null check (size > 0),
  total_cost bigint not null check (total_cost > 0),
  paid numeric(20, 2) check (paid >= 0),
  settled_at timestamptz,
  amended_at timestamptz,
  without_result_at timestamptz,
  watched_until timestamptz not null default 'infinity',
  month date not null generated always as (date_trunc('month', opened_at at time zone 'UTC')::date) stored,
  promised bigint not null generated always as (size * 10000) stored,
  profit numeric(20, 2) generated always as (paid - total_cost) stored,
  outcome text generated always as (
    case when paid >= size * 10000 then 'as_promised' when paid >= total_cost then 'less' when paid >= 0 then 'loss' end
  ) stored,
  check ((paid is null) = (settled_at is null)),
  check (paid is null or without_result_at is null)
);
comment on table arb.track_records is
  'One row for each opportunity that was served, kept for good. Sizes are 0.01 contract of each '
  'leg, money is 1e-6 USD, times are market time.';
comment on column arb.track_records.served_at is
  'When it was first served. size, total_cost and legs are the terms of that moment: what a '
  'reader who acts at once gets.';
comment on column arb.track_records.total_cost is 'Cost of all legs at this size, fees included.';
comment on column arb.track_records.promised is '$1 for each contract: exactly one leg pays it.';
comment on column arb.track_records.paid is
  'What the legs paid together, exact; null until every leg is final. A void at a fair price or '
  '50-50 counts as it was paid.';
comment on column arb.track_records.outcome is
  'as_promised: paid at least promised; less: at least the cost; loss: less than the cost.';
comment on column arb.track_records.amended_at is
  'When a venue last changed a result that was already counted.';
comment on column arb.track_records.without_result_at is
  'When its pair was closed without a result, or a contract was no longer stored. A later result '
  'still settles it.';
comment on column arb.track_records.watched_until is
  'Until then arb.settle_track_records compares it with the results of the venues.';
create index track_records_by_pair on arb.track_records (pair_id);
create index track_records_watched on arb.track_records (watched_until);

create table arb.track_record_legs (
  opportunity_id uuid not null references arb.track_records (opportunity_id) on delete cascade,
  ordinal smallint not null,
  key text not null,
  venue venue.code not null,
  contract_id text not null,
  side text check (side in ('yes', 'no')),
  ask integer not null,
  fee integer not null,
  payout numeric(7, 6) check (payout between 0 and 1),
  primary key (opportunity_id, ordinal)
);
comment on table arb.track_record_legs is
  'The contracts of a row of arb.track_records, in outcome order. ask and fee of one contract in '
  '1e-6 USD; side is null for an outcome token of venue_b.';
comment on column arb.track_record_legs.payout is
  'USD that one contract of this side or token was paid; null until its venue is final.';

create table arb.track_record_state (
  singleton boolean primary key default true check (singleton),
  report_no bigint not null,
  updated_at timestamptz not null,
  since timestamptz not null,
  built_at timestamptz not null default clock_timestamp(),
  build_time interval not null,
  fingerprint text not null,
  rows jsonb not null check (jsonb_typeof(rows) = 'array')
);
comment on table arb.track_record_state is
  'The one row with the tallies of GET /v2/track-record. A request reads this row only, because '
  'everyone may send requests.';
comment on column arb.track_record_state.updated_at is
  'Market time of the change. built_at is real time, build_time how long the tallies took.';
comment on column arb.track_record_state.fingerprint is
  'Counts and sums of the records that the tallies were made from.';
comment on column arb.track_record_state.rows is
  '[{level, month, family, competition, tally}]. level: the bits of what is summed over (4 month, '
  '2 family, 1 competition). tally: JSON text, so that no decimal changes.';

alter table arb.track_records enable row level security;
alter table arb.track_records force row level security;
alter table arb.track_record_legs enable row level security;
alter table arb.track_record_legs force row level security;
alter table arb.track_record_state enable row level security;
alter table arb.track_record_state force row level security;

create policy "the api reads the tallies of the track record" on arb.track_record_state
  for select to parallax_api
  using (true);
grant select on arb.track_record_state to parallax_api;

create function arb.record_served(p_opportunity_id uuid, p_state_no bigint) returns void
language plpgsql volatile
set search_path = ''
as $$
begin
  -- Nearly always: it was served before, with the terms that count.
  if exists (select from arb.track_records r where r.opportunity_id = p_opportunity_id) then
    return;
  end if;
  insert into arb.track_records (
    opportunity_id, pair_id, family, competition, title, opened_at, closed_at, served_at, size, total_cost
  )
  select o.opportunity_id, o.pair_id, p.market_type, p.competition, p.title, o.opened_at, o.closed_at, clock.now(),
         s.size, s.total_cost
  from arb.opportunities o
  join arb.opportunity_states s on s.opportunity_id = o.opportunity_id and s.state_no = p_state_no
  join catalog.pairs p on p.pair_id = o.pair_id
  where o.opportunity_id = p_opportunity_id
  on conflict (opportunity_id) do nothing;
  if not found then
    return;
  end if;
  insert into arb.track_record_legs (opportunity_id, ordinal, key, venue, contract_id, side, ask, fee)
  select s.opportunity_id, l.place - 1, l.key, l.venue, l.contract, l.side, l.ask, l.fee
  from arb.opportunity_states s
  cross join rows from (
    jsonb_to_recordset(s.legs) as (key text, venue text, side text, contract text, ask integer, fee integer)
  ) with ordinality as l (key, venue, side, contract, ask, fee, place)
  where s.opportunity_id = p_opportunity_id
    and s.state_no = p_state_no;
end
$$;
comment on function arb.record_served(uuid, bigint) is
  'Adds an opportunity to the track record with the terms of this state. Does nothing when it was '
  'served before.';
revoke all on function arb.record_served(uuid, bigint) from public;
