-- Why a pair is or is not an opportunity: for ops.explain and for the market page of the dashboard,
-- and for GET /v2/pairs/{market_id}/explanation.

create function arb.member_risk_reason(p_pair_id uuid) returns text
language sql stable
set search_path = ''
as $$
  -- Members may read the severity of an internal risk (cancel_*), and not its event.
  select 'risk.' || case when starts_with(k.event, 'cancel_') then k.severity else k.event end
  from catalog.pair_risks k
  where k.pair_id = p_pair_id
    and catalog.severity_rank(k.severity) <= catalog.severity_rank('high')
  order by starts_with(k.event, 'cancel_'), catalog.severity_rank(k.severity), k.event
  limit 1
$$;
comment on function arb.member_risk_reason(uuid) is
  'The worst high or critical risk of a pair for members: a published one, else the severity of '
  'an internal one.';

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
             -- A pair that is not in the REST snapshot yet.
             (4, 'priced', case when p.pair_id is null then 'priced.never' else p.price_reason end)
    ) as r (place, gate, reason)
  ) v
  where g.pair_id = p_pair_id
$$;
comment on function arb.gates_of(uuid, boolean) is
  'The four gates of a pair in order, [{gate, open, reason}], priced at the step of the REST '
  'snapshot. p_member: without names of internal risks.';

create function arb.member_reason(p_reason text) returns text
language sql immutable
set search_path = ''
as $$ select case when starts_with(p_reason, 'risk.cancel_') then 'risk.high' else p_reason end $$;
comment on function arb.member_reason(text) is
  'A close or rejection reason without the name of an internal risk.';

-- code: pair.*, opportunity.open, the rejection that is current since p_priced_at, or edge.none;
-- null when a gate is closed.
create function arb.after_gates(p_pair_id uuid, p_upto timestamptz, p_priced_at timestamptz, p_priced boolean)
returns jsonb
language sql stable
set search_path = ''
as $$
  with newest as materialized (
    select o.opportunity_id, o.opened_at,
           case when c.over then o.closed_at end as closed_at,
           case when c.over then arb.member_reason(o.close_reason) end as close_reason
    from arb.opportunities o
    cross join lateral (select o.closed_at < 'infinity' and o.closed_at <= p_upto as over) c
    where o.pair_id = p_pair_id
      and o.opened_at <= p_upto
      and o.retracted_at is null
    order by o.opened_at desc
    limit 1
  ), rejected as materialized (
    select r.stage, arb.member_reason(r.reason) as reason, r.subject, r.first_at, least(r.last_at, p_upto) as last_at,
           r.occurrences,
           -- No later price update had another result.
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
        (select 'opportunity.open' from newest o where o.closed_at is null),
        (select r.reason from rejected r where r.is_current order by r.last_at desc, r.reason limit 1),
        case when p_priced then 'edge.none' end
      )
    end,
    'opportunity', (
      select jsonb_build_object(
        'id', 'opp_' || o.opportunity_id, 'opened_at', base.format_time(o.opened_at), 'closed_at',
        base.format_time(o.closed_at), 'reason', o.close_reason
      )
      from newest o
    ),
    'refused', (
      select coalesce(
        jsonb_agg(
          jsonb_build_object(
            'stage', r.stage, 'reason', r.reason, 'about', r.subject, 'first_at', base.format_time(r.first_at),
            'last_at', base.format_time(r.last_at), 'times', r.occurrences, 'is_current', r.is_current
          )
          order by r.last_at desc, r.reason
        ),
        '[]'
      )
      from rejected r
    )
  )
  from (select arb.gate_close_reason(p_pair_id) as reason) c
$$;
comment on function arb.after_gates(uuid, timestamptz, timestamptz, boolean) is
  'Results of a pair after its gates, up to a market time: {code, opportunity: the newest, '
  'refused: the last rejections}.';

create function arb.explain_pair(p_pair_id uuid, p_upto timestamptz, p_priced_at timestamptz, p_priced boolean)
returns table (gates jsonb, after jsonb, code text)
language sql stable security definer
set search_path = ''
as $$
  select e.gates, e.after,
         coalesce(
           case when e.after ->> 'code' like 'pair.%' then e.after ->> 'code' end,
           (
             select g.gate ->> 'reason'
             from jsonb_array_elements(e.gates) with ordinality as g (gate, place)
             where not (g.gate ->> 'open')::boolean
             order by g.place
             limit 1
           ),
           e.after ->> 'code'
         )
  from (
    select arb.gates_of(p_pair_id, true) as gates,
           arb.after_gates(p_pair_id, p_upto, p_priced_at, p_priced) as after
  ) e
$$;
comment on function arb.explain_pair(uuid, timestamptz, timestamptz, boolean) is
  'arb.gates_of and arb.after_gates of a pair without names of internal risks, and the one code '
  'that answers why it is or is no opportunity.';
grant execute on function arb.explain_pair(uuid, timestamptz, timestamptz, boolean) to parallax_api;

revoke all on function
  arb.member_risk_reason(uuid),
  arb.gates_of(uuid, boolean),
  arb.member_reason(text),
  arb.after_gates(uuid, timestamptz, timestamptz, boolean),
  arb.explain_pair(uuid, timestamptz, timestamptz, boolean)
from public;
