-- Why a pair is (not) an opportunity: for ops.explain and for the market page of the dashboard.

create function arb.member_risk_reason(p_pair_id uuid) returns text
language sql stable
set search_path = ''
as $$
  -- Members learn the severity of an internal risk (cancel_*), not its event.
  select 'risk.' || case when starts_with(k.event, 'cancel_') then k.severity else k.event end
  from catalog.pair_risks k
  where k.pair_id = p_pair_id
    and catalog.severity_rank(k.severity) <= catalog.severity_rank('high')
  order by starts_with(k.event, 'cancel_'), catalog.severity_rank(k.severity), k.event
  limit 1
$$;
comment on function arb.member_risk_reason(uuid) is 'The worst high or critical risk of a pair as members read it: a published one, else the severity of an internal one.';

create function arb.gates_of(p_pair_id uuid, p_member boolean) returns jsonb
language sql stable
set search_path = ''
as $$
  select jsonb_agg(
           jsonb_build_object(
             'gate', v.gate, 'open', v.open, 'reason',
             case
               when v.open then null
               when v.gate = 'risk' and p_member then arb.member_risk_reason(p_pair_id)
               else v.reason
             end
           )
           order by v.place
         )
  from catalog.match_gates g
  left join price.signal_gates p on p.pair_id = g.pair_id
  cross join lateral (
    select r.place, r.gate, r.reason, r.reason is null as open
    from (
      values (1, 'band', g.band_reason),
             (2, 'parity', g.parity_reason),
             (3, 'risk', g.risk_reason),
             -- A pair that no step has shown yet.
             (4, 'priced', case when p.pair_id is null then 'priced.never' else p.price_reason end)
    ) as r (place, gate, reason)
  ) v
  where g.pair_id = p_pair_id
$$;
comment on function arb.gates_of(uuid, boolean) is
  'All four gates of a pair in order, [{gate, open, reason}], priced at the step that REST shows. p_member: without the names of internal risks.';

create function arb.member_reason(p_reason text) returns text
language sql immutable
set search_path = ''
as $$ select case when starts_with(p_reason, 'risk.cancel_') then 'risk.high' else p_reason end $$;
comment on function arb.member_reason(text) is 'A reason that an opportunity closed or was rejected for, without the name of an internal risk.';

create function arb.after_gates(p_pair_id uuid, p_upto timestamptz, p_priced_at timestamptz, p_priced boolean) returns jsonb
language sql stable
set search_path = ''
as $$
  with windows as materialized (
    select w.opportunity_id, w.opened_at,
           case when c.over then w.closed_at end as closed_at,
           case when c.over then arb.member_reason(w.close_reason) end as close_reason
    from arb.opportunities w
    cross join lateral (select w.closed_at < 'infinity' and w.closed_at <= p_upto as over) c
    where w.pair_id = p_pair_id
      and w.opened_at <= p_upto
      and w.retracted_at is null
    order by w.opened_at desc
    limit 1
  ), refused as materialized (
    select r.stage, arb.member_reason(r.reason) as reason, r.subject, r.first_at, least(r.last_at, p_upto) as last_at, r.occurrences,
           -- Not followed by a price update that brought another result.
           coalesce(least(r.last_at, p_upto) >= p_priced_at, false) as is_current
    from arb.rejections r
    where r.pair_id = p_pair_id
      and r.first_at <= p_upto
    order by r.last_at desc, r.reason
    limit 10
  )
  select jsonb_build_object(
    'code', case
      when c.reason like 'pair.%' then c.reason
      when c.reason is null then coalesce(
        (select 'opportunity.open' from windows w where w.closed_at is null),
        (select r.reason from refused r where r.is_current order by r.last_at desc, r.reason limit 1),
        case when p_priced then 'edge.none' end
      )
    end,
    'opportunity', (
      select jsonb_build_object(
        'id', 'opp_' || w.opportunity_id, 'opened_at', base.format_time(w.opened_at), 'closed_at', base.format_time(w.closed_at), 'reason', w.close_reason
      )
      from windows w
    ),
    'refused', (
      select coalesce(
        jsonb_agg(
          jsonb_build_object(
            'stage', r.stage, 'reason', r.reason, 'about', r.subject, 'first_at', base.format_time(r.first_at), 'last_at', base.format_time(r.last_at),
            'times', r.occurrences, 'is_current', r.is_current
          )
          order by r.last_at desc, r.reason
        ),
        '[]'
      )
      from refused r
    )
  )
  from (select arb.gate_close_reason(p_pair_id) as reason) c
$$;
comment on function arb.after_gates(uuid, timestamptz, timestamptz, boolean) is
  'What happened to a pair after its gates, up to a market time: {code, opportunity: the newest, refused: the last rejections}. code: pair.*, opportunity.open, the rejection that stands since p_priced_at, or edge.none; null where a gate is closed.';

revoke all on function
  arb.member_risk_reason(uuid),
  arb.gates_of(uuid, boolean),
  arb.member_reason(text),
  arb.after_gates(uuid, timestamptz, timestamptz, boolean)
from public;
