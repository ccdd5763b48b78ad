-- Settles the rows of arb.track_records by what the venues paid, and counts them.
--
-- Everything is computed from data: a record is due when a leg was paid another amount than it
-- holds. So a run that was lost is made up by the next one, and a second run changes nothing.

create view arb.paid_legs with (security_invoker = true) as
select l.opportunity_id, l.ordinal, l.payout as counted,
       -- markets.payout is what YES (outcome 0) was paid. NO and the second token were paid the
       -- rest of the $1.
       case when l.side = 'no' or c.ordinal = 1 then 1 - m.payout else m.payout end as payout,
       m.settled_at
from arb.track_record_legs l
join venue.contracts c on c.venue = l.venue and c.contract_id = l.contract_id
join venue.markets m on m.venue = c.venue and m.market_id = c.market_id
where m.state = 'final'
  and m.payout is not null;
comment on view arb.paid_legs is
  'A leg of the track record whose market is final: what its contract was paid, and what the '
  'record holds (counted).';

-- A venue may amend a result. Its market is then not final for a while: the leg keeps what it was
-- paid until the venue pays again.
create function arb.settle_legs(p_due uuid[]) returns void
language sql volatile
set search_path = ''
as $$
  update arb.track_record_legs l
  set payout = p.payout
  from arb.paid_legs p
  where l.opportunity_id = any (p_due)
    and p.opportunity_id = l.opportunity_id
    and p.ordinal = l.ordinal
    and l.payout is distinct from p.payout
$$;
comment on function arb.settle_legs(uuid[]) is
  'Part of arb.settle_track_records: writes what the contracts of these records were paid.';

create function arb.mark_without_result(p_pairs uuid[], p_limit integer) returns integer
language sql volatile
set search_path = ''
as $$
  with over as (
    select r.opportunity_id
    from arb.track_records r
    where r.watched_until = 'infinity'
      and r.paid is null
      and (p_pairs is null or r.pair_id = any (p_pairs))
      and (
        exists (
          select
          from catalog.pairs p
          where p.pair_id = r.pair_id and p.status = 'closed' and p.withdrawn_at is null
        )
        -- catalog.purge_listings deletes a market that the venue no longer lists and that no pair
        -- waits for.
        or exists (
          select
          from arb.track_record_legs l
          where l.opportunity_id = r.opportunity_id
            and l.payout is null
            and not exists (
              select
              from venue.contracts c
              where c.venue = l.venue and c.contract_id = l.contract_id
            )
        )
      )
    limit p_limit
    for update of r skip locked
  ), marked as (
    update arb.track_records r
    set without_result_at = clock.now(),
        watched_until = clock.now() + interval '30 days'
    from over o
    where r.opportunity_id = o.opportunity_id
    returning 1
  )
  select count(*)::integer
  from marked
$$;
comment on function arb.mark_without_result(uuid[], integer) is
  'Part of arb.settle_track_records: marks records whose pair closed without a result, or whose '
  'contract is no longer stored. Returns how many.';

-- Each record that is watched costs two index lookups a leg: 0.3 s for 4,000 watched records, 1 s
-- for 24,000 (100,000 records, 200,000 markets, 2 cores busy with other work, 2026-11-24).
create function arb.settle_track_records(p_pairs uuid[] default null, p_limit integer default 500) returns integer
language plpgsql volatile
set search_path = ''
as $$
declare
  v_now timestamptz := clock.now();
  v_due uuid[];
  v_settled integer;
begin
  select array_agg(d.opportunity_id) into v_due
  from (
    select r.opportunity_id
    from arb.track_records r
    where r.watched_until > v_now
      and (p_pairs is null or r.pair_id = any (p_pairs))
      and exists (
        select
        from arb.paid_legs p
        where p.opportunity_id = r.opportunity_id and p.payout is distinct from p.counted
      )
    limit p_limit
    -- Another run settles the rows that it has locked.
    for update of r skip locked
  ) d;
  perform arb.settle_legs(v_due);
  update arb.track_records r
  set paid = n.paid,
      settled_at = coalesce(n.settled_at, v_now),
      amended_at = case when r.paid is null then r.amended_at else v_now end,
      without_result_at = null,
      -- A venue may amend a result for some time. 30 days is how long its listing is kept.
      watched_until = v_now + interval '30 days'
  from (
    select l.opportunity_id, sum(s.size * l.payout * 10000) as paid, max(p.settled_at) as settled_at
    from arb.track_record_legs l
    join arb.track_records s on s.opportunity_id = l.opportunity_id
    left join arb.paid_legs p on p.opportunity_id = l.opportunity_id and p.ordinal = l.ordinal
    where l.opportunity_id = any (v_due)
    group by l.opportunity_id
    having bool_and(l.payout is not null)
  ) n
  where r.opportunity_id = n.opportunity_id
    and r.paid is distinct from n.paid;
  get diagnostics v_settled = row_count;
  perform arb.mark_without_result(p_pairs, p_limit);
  return v_settled;
end
$$;
comment on function arb.settle_track_records(uuid[], integer) is
  'Computes what at most p_limit records (null: of all pairs) paid at the served size, from the '
  'results of both venues. A second run changes nothing. Returns how many records changed.';

create function arb.count_track_records() returns jsonb
language sql stable
set search_path = ''
as $$
  with tallies as (
    select grouping(r.month, r.family, lower(r.competition)) as level,
           to_char(r.month, 'YYYY-MM') as month, r.family, max(r.competition) as competition,
           count(*) as shown,
           count(distinct r.pair_id) as markets,
           count(r.paid) as settled,
           count(*) filter (where r.outcome = 'as_promised') as paid_as_promised,
           count(*) filter (where r.outcome in ('less', 'loss')) as paid_less,
           count(*) filter (where r.outcome = 'loss') as lost,
           count(r.without_result_at) as without_result,
           trim_scale(min(r.profit) * 0.000001) as worst_case_usd,
           trim_scale(round(
             (
               percentile_cont(0.5) within group (order by extract(epoch from r.closed_at - r.opened_at))
                 filter (where r.closed_at < 'infinity')
             )::numeric,
             3
           )) as median_life_s,
           trim_scale(coalesce(sum(r.total_cost) filter (where r.paid is not null), 0) * 0.000001) as cost_usd,
           trim_scale(coalesce(sum(r.promised) filter (where r.paid is not null), 0) * 0.000001) as promised_usd,
           trim_scale(coalesce(sum(r.paid), 0) * 0.000001) as paid_usd
    from arb.track_records r
    group by cube (r.month, r.family, lower(r.competition))
  )
  select coalesce(
    jsonb_agg(
      jsonb_build_object(
        'level', t.level, 'month', t.month, 'family', t.family, 'competition',
        case when t.level & 1 = 0 then t.competition end, 'tally',
        -- The fields of the tally, without the braces.
        btrim(row_to_json(f)::text, '{}')
      )
      order by t.month desc, t.family collate "C", t.competition collate "C" nulls last
    ),
    '[]'
  )
  from tallies t
  cross join lateral (
    select t.shown, t.markets, t.settled, t.paid_as_promised, t.paid_less, t.lost, t.without_result,
           t.worst_case_usd, t.median_life_s, t.cost_usd, t.promised_usd, t.paid_usd
  ) f
$$;
comment on function arb.count_track_records() is
  'The tallies of all records, for every combination of month, family and competition: '
  'arb.track_record_state.rows. Medians cannot be added, so each combination has its own.';

create function arb.fingerprint_track_records() returns text
language sql stable
set search_path = ''
as $$
  select concat_ws(
    ' ', count(*), sum(extract(epoch from r.closed_at)) filter (where r.closed_at < 'infinity'), count(r.paid),
    sum(r.paid), sum(extract(epoch from r.amended_at)), count(r.without_result_at)
  )
  from arb.track_records r
$$;
comment on function arb.fingerprint_track_records() is
  'Changes when a record is added, closed, settled, amended or left without a result. Far cheaper '
  'than the tallies.';

-- The tallies of 100,000 records take 3 s (2 cores busy with other work, 2026-11-24). A pause of
-- twenty times the last duration keeps them below a twentieth of one core however many there are.
create function arb.update_track_record() returns integer
language plpgsql volatile
set search_path = ''
as $$
declare
  v_settled integer := arb.settle_track_records();
  v_started timestamptz := clock_timestamp();
  v_state arb.track_record_state;
  v_fingerprint text;
  v_rows jsonb;
begin
  select s.* into v_state from arb.track_record_state s;
  if v_started < v_state.built_at + 20 * v_state.build_time then
    return v_settled;
  end if;
  v_fingerprint := arb.fingerprint_track_records();
  if v_fingerprint = v_state.fingerprint then
    return v_settled;
  end if;
  v_rows := arb.count_track_records();
  insert into arb.track_record_state as s (report_no, updated_at, since, build_time, fingerprint, rows)
  select 1, clock.now(), r.since, clock_timestamp() - v_started, v_fingerprint, v_rows
  from (select min(t.opened_at) as since from arb.track_records t) r
  where r.since is not null
  on conflict (singleton) do update
  set report_no = s.report_no + 1,
      updated_at = excluded.updated_at,
      since = excluded.since,
      built_at = excluded.built_at,
      build_time = excluded.build_time,
      fingerprint = excluded.fingerprint,
      rows = excluded.rows;
  return v_settled;
end
$$;
comment on function arb.update_track_record() is
  'Settles due records and renews the tallies when a record has changed. pg_cron calls it each '
  'minute. Returns how many records were settled.';

revoke all on arb.paid_legs from public;
revoke all on function
  arb.settle_legs(uuid[]),
  arb.mark_without_result(uuid[], integer),
  arb.settle_track_records(uuid[], integer),
  arb.count_track_records(),
  arb.fingerprint_track_records(),
  arb.update_track_record()
from public;
