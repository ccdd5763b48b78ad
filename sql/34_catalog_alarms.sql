-- Alarms: an independent check of published pairs. A pair with an open alarm is a candidate in
-- REVIEW until an operator confirms that it is right: catalog.assemble_pairs reads the open alarms.

create table catalog.alarm_settings (
  singleton boolean primary key default true check (singleton),
  gap_pts numeric not null default 25 check (gap_pts > 0),
  lasting interval not null default interval '5 minutes' check (lasting > interval '0')
);
comment on table catalog.alarm_settings is
  'The one settings row of the alarm price_divergence: how many points the mid prices of one '
  'outcome are apart, and for how long.';
insert into catalog.alarm_settings (singleton) values (true) on conflict do nothing;

create table catalog.alarms (
  alarm_id bigint generated always as identity primary key,
  pair_id uuid not null,
  reason text not null check (reason = 'price_divergence'),
  outcome_key text not null,
  mid_a_usd6 integer not null check (mid_a_usd6 between 0 and 1000000),
  mid_b_usd6 integer not null check (mid_b_usd6 between 0 and 1000000),
  raised_at timestamptz not null,
  stage_before text not null,
  band_before text not null,
  confirmed_at timestamptz,
  ended_at timestamptz
);
comment on table catalog.alarms is
  'All alarms about pairs. An alarm is open until catalog.review_alarm sets confirmed_at. It '
  'outlives its pair.';
comment on column catalog.alarms.mid_a_usd6 is
  'Mid price of the outcome on venue_a when the alarm was raised, in 1e-6 USD.';
comment on column catalog.alarms.ended_at is
  'When a confirmed divergence was first seen to be over, in market time. Until then the pair '
  'raises no other alarm.';
create unique index alarms_open on catalog.alarms (pair_id) where confirmed_at is null;
create index alarms_running on catalog.alarms (pair_id) where ended_at is null;

create table catalog.alarm_reviews (
  review_id bigint generated always as identity primary key,
  alarm_id bigint not null references catalog.alarms (alarm_id) on delete cascade,
  decision text not null check (decision in ('confirm', 'withdraw')),
  reviewer text not null check (trim(reviewer) <> ''),
  note text not null check (trim(note) <> ''),
  reviewed_at timestamptz not null
);
comment on table catalog.alarm_reviews is
  'Append-only: the decisions of operators about an alarm, with name and reason.';

alter table catalog.alarm_settings enable row level security;
alter table catalog.alarm_settings force row level security;
alter table catalog.alarms enable row level security;
alter table catalog.alarms force row level security;
alter table catalog.alarm_reviews enable row level security;
alter table catalog.alarm_reviews force row level security;
create policy "the api reads alarms" on catalog.alarms for select to parallax_api using (true);
grant select on catalog.alarms to parallax_api;

create function catalog.raise_alarm(p_pair_id uuid, p_outcome_key text, p_mid_a integer, p_mid_b integer)
returns boolean
language plpgsql volatile
set search_path = ''
as $$
begin
  -- Locks the pair, so that a match pass that writes it waits for this transaction.
  perform
  from catalog.pairs p
  where p.pair_id = p_pair_id and p.stage = 'catalog' and p.withdrawn_at is null
  for update;
  if not found then
    return false;
  end if;
  insert into catalog.alarms (
    pair_id, reason, outcome_key, mid_a_usd6, mid_b_usd6, raised_at, stage_before, band_before
  )
  select p.pair_id, 'price_divergence', p_outcome_key, p_mid_a, p_mid_b, clock.now(), p.stage, p.band
  from catalog.pairs p
  where p.pair_id = p_pair_id
  on conflict (pair_id) where confirmed_at is null do nothing;
  if not found then
    return false;
  end if;
  update catalog.pairs p
  set stage = 'candidate',
      band = 'REVIEW',
      updated_at = clock.now(),
      change_no = nextval('catalog.change_numbers')
  where p.pair_id = p_pair_id;
  return true;
end
$$;
comment on function catalog.raise_alarm(uuid, text, integer, integer) is
  'Opens a price_divergence alarm for a published pair and moves it to REVIEW; false when it is '
  'not published or has an open alarm. The caller publishes the change.';

create function catalog.alarm_summary(p_alarm_id bigint) returns jsonb
language sql stable
set search_path = ''
as $$
  select to_jsonb(a) || jsonb_build_object(
    'reviews', (
      select coalesce(jsonb_agg(to_jsonb(v) - 'alarm_id' order by v.review_id), '[]')
      from catalog.alarm_reviews v
      where v.alarm_id = a.alarm_id
    )
  )
  from catalog.alarms a
  where a.alarm_id = p_alarm_id
$$;
comment on function catalog.alarm_summary(bigint) is
  'An alarm with its reviews; null for an unknown id.';

create function catalog.review_alarm(p_pair_id uuid, p_decision text, p_reviewer text, p_note text) returns jsonb
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_alarm catalog.alarms;
begin
  perform from catalog.pairs p where p.pair_id = p_pair_id for update;
  select * into v_alarm from catalog.alarms a where a.pair_id = p_pair_id order by a.alarm_id desc limit 1;
  if v_alarm.alarm_id is null then
    raise exception 'pair % has no alarm', p_pair_id using errcode = '22023';
  end if;
  if (p_decision = 'confirm') = (v_alarm.confirmed_at is not null) then
    raise exception 'the alarm of pair % is %', p_pair_id,
      case when v_alarm.confirmed_at is null then 'open' else 'already confirmed' end
      using errcode = '22023';
  end if;
  insert into catalog.alarm_reviews (alarm_id, decision, reviewer, note, reviewed_at)
  values (v_alarm.alarm_id, p_decision, trim(p_reviewer), trim(p_note), clock.now());
  update catalog.alarms a
  set confirmed_at = case when p_decision = 'confirm' then clock.now() end,
      ended_at = null
  where a.alarm_id = v_alarm.alarm_id;
  -- The former stage and band apply at once. An empty input_hash makes the next match pass write
  -- the pair again from its listings.
  update catalog.pairs p
  set stage = case when p_decision = 'confirm' then v_alarm.stage_before else 'candidate' end,
      band = case when p_decision = 'confirm' then v_alarm.band_before else 'REVIEW' end,
      input_hash = '',
      updated_at = clock.now(),
      change_no = nextval('catalog.change_numbers')
  where p.pair_id = p_pair_id;
  return catalog.alarm_summary(v_alarm.alarm_id);
end
$$;
comment on function catalog.review_alarm(uuid, text, text, text) is
  'Stores and applies the decision of an operator about the newest alarm of a pair: confirm (the '
  'pair is right and published again) or withdraw (revokes the confirmation). Returns the alarm.';
revoke all on function catalog.raise_alarm(uuid, text, integer, integer), catalog.alarm_summary(bigint),
  catalog.review_alarm(uuid, text, text, text) from public;
