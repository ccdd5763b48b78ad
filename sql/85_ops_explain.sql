-- Why a listing is (not) a pair, and why a pair is (not) an opportunity: one answer for `npm run why` and for the market page.

create function ops.member_risk_reason(p_pair_id uuid) returns text
language sql stable
set search_path = ''
as $$
  -- Members learn the severity of an internal risk (cancel_*), not its event.
  select 'risk.' || case when starts_with(k.event, 'cancel_') then k.severity else k.event end
  from catalog.risks k
  where k.pair_id = p_pair_id
    and catalog.severity_rank(k.severity) <= catalog.severity_rank('high')
  order by starts_with(k.event, 'cancel_'), catalog.severity_rank(k.severity), k.event
  limit 1
$$;
comment on function ops.member_risk_reason(uuid) is 'The worst high or critical risk of a pair as members read it: a published one, else the severity of an internal one.';

create function ops.gates_of(p_pair_id uuid, p_member boolean) returns jsonb
language sql stable
set search_path = ''
as $$
  select jsonb_agg(
           jsonb_build_object(
             'gate', v.gate, 'open', v.open, 'reason',
             case
               when v.open then null
               when v.gate = 'risk' and p_member then ops.member_risk_reason(p_pair_id)
               else v.reason
             end
           )
           order by v.place
         )
  from catalog.gates g
  left join price.gates p on p.pair_id = g.pair_id
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
comment on function ops.gates_of(uuid, boolean) is
  'All four gates of a pair in order, [{gate, open, reason}], priced at the step that REST shows. p_member: without the names of internal risks.';

create function ops.member_reason(p_reason text) returns text
language sql immutable
set search_path = ''
as $$ select case when starts_with(p_reason, 'risk.cancel_') then 'risk.high' else p_reason end $$;
comment on function ops.member_reason(text) is 'A reason that an opportunity closed or was rejected for, without the name of an internal risk.';

create function ops.after_gates(p_pair_id uuid, p_upto timestamptz, p_priced_at timestamptz, p_priced boolean) returns jsonb
language sql stable
set search_path = ''
as $$
  with windows as materialized (
    select w.window_id, w.opened_at,
           case when c.over then w.closed_at end as closed_at,
           case when c.over then ops.member_reason(w.close_reason) end as close_reason
    from arb.windows w
    cross join lateral (select w.closed_at < 'infinity' and w.closed_at <= p_upto as over) c
    where w.pair_id = p_pair_id
      and w.opened_at <= p_upto
      and w.retracted_at is null
    order by w.opened_at desc
    limit 1
  ), refused as materialized (
    select r.stage, ops.member_reason(r.reason) as reason, r.about, r.first_at, least(r.last_at, p_upto) as last_at, r.times,
           -- Not followed by a price update that brought another result.
           coalesce(least(r.last_at, p_upto) >= p_priced_at, false) as stands
    from arb.refusals r
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
        (select r.reason from refused r where r.stands order by r.last_at desc, r.reason limit 1),
        case when p_priced then 'edge.none' end
      )
    end,
    'opportunity', (
      select jsonb_build_object(
        'id', 'opp_' || w.window_id, 'opened_at', price.iso(w.opened_at), 'closed_at', price.iso(w.closed_at), 'reason', w.close_reason
      )
      from windows w
    ),
    'refused', (
      select coalesce(
        jsonb_agg(
          jsonb_build_object(
            'stage', r.stage, 'reason', r.reason, 'about', r.about, 'first_at', price.iso(r.first_at), 'last_at', price.iso(r.last_at),
            'times', r.times, 'stands', r.stands
          )
          order by r.last_at desc, r.reason
        ),
        '[]'
      )
      from refused r
    )
  )
  from (select arb.closed_because(p_pair_id) as reason) c
$$;
comment on function ops.after_gates(uuid, timestamptz, timestamptz, boolean) is
  'What happened to a pair after its gates, up to a market time: {code, opportunity: the newest, refused: the last rejections}. code: pair.*, opportunity.open, the rejection that stands since p_priced_at, or edge.none; null where a gate is closed.';

create function ops.explain(p_about text) returns jsonb
language sql stable security definer
set search_path = ''
as $$
  with about as materialized (
    select distinct a.question_id from catalog.questions_about(p_about) as a (question_id)
  ), questions as (
    select jsonb_build_object(
             'question_id', q.question_id, 'venue', q.venue, 'event', q.event_id, 'family', q.family, 'key', q.key, 'title', q.title,
             'on_date', q.on_date, 'start_at', q.start_at, 'identity', q.identity, 'terms', q.terms,
             'excluded', q.excluded, 'excluded_because', catalog.exclusion_text(q.excluded),
             'unmatched', u.reason, 'unmatched_because', catalog.exclusion_text(u.reason),
             'legs', (
               select coalesce(jsonb_agg(jsonb_strip_nulls(to_jsonb(l) - 'question_id') order by l.ordinal), '[]')
               from venue.legs l
               where l.question_id = q.question_id
             )
           ) as question, q.question_id
    from about a
    join venue.questions q on q.question_id = a.question_id
    left join catalog.unmatched u on u.question_id = q.question_id
  ), pairs as (
    select catalog.pair_explained(p.pair_id) || jsonb_build_object(
             'gates', ops.gates_of(p.pair_id, false),
             'after', ops.after_gates(p.pair_id, 'infinity', l.priced_at, coalesce(g.priced_ok, false))
           ) as pair, p.withdrawn_at, p.pair_id
    from catalog.pairs p
    left join price.latest l on l.pair_id = p.pair_id
    left join price.gates g on g.pair_id = p.pair_id
    where exists (select from about a where a.question_id in (p.question_a, p.question_b))
  ), refusals as (
    select jsonb_build_object(
             'question_a', r.question_a, 'question_b', r.question_b, 'code', r.code, 'because', r.detail, 'evidence', r.evidence,
             'since', r.seen_at
           ) as refusal, r.seen_at, r.code
    from catalog.refusals r
    where exists (select from about a where a.question_id in (r.question_a, r.question_b))
    order by r.seen_at desc, r.code
    limit 50
  ), set_aside as (
    select jsonb_build_object('venue', s.venue, 'kind', s.kind, 'native_id', s.native_id, 'code', s.code, 'because', s.detail, 'last_seen_at', s.last_seen_at) as one
    from venue.set_aside s
    where s.native_id in (trim(p_about), upper(trim(p_about)))
    order by s.last_seen_at desc
    limit 50
  )
  select jsonb_build_object(
    'about', trim(p_about),
    'questions', (select coalesce(jsonb_agg(q.question order by q.question_id), '[]') from questions q),
    'pairs', (select coalesce(jsonb_agg(p.pair order by p.withdrawn_at nulls first, p.pair_id), '[]') from pairs p),
    'refusals', (select coalesce(jsonb_agg(r.refusal order by r.seen_at desc, r.code), '[]') from refusals r),
    'set_aside', (select coalesce(jsonb_agg(s.one), '[]') from set_aside s)
  )
$$;
comment on function ops.explain(text) is
  'For operators (role postgres alone): {about, questions, pairs, refusals, set_aside} of a pair id, market id, ticker, event ticker, slug, condition id, token or question id. Each pair has all four gates and what was refused after them.';

create function ops.page_explain(p_id text) returns json
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_pair uuid;
  v_step timestamptz;
  v_priced_at timestamptz;
  v_priced boolean;
begin
  perform account.admit_session(1);
  v_pair := stream.page_id(p_id);
  perform price.advance();
  select t.step, (s.price_update).priced_at, g.priced_ok
  into v_step, v_priced_at, v_priced
  from price.snapshot s
  join price.gates g on g.pair_id = s.pair_id
  cross join price.steps t
  join catalog.pairs p on p.pair_id = s.pair_id and p.withdrawn_at is null
  where s.pair_id = v_pair;
  if not found then
    perform stream.no_such_market();
  end if;
  return json_build_object(
    'id', 'mkt_' || v_pair, 'as_of', price.iso(v_step),
    'gates', ops.gates_of(v_pair, true), 'after', ops.after_gates(v_pair, v_step, v_priced_at, v_priced)
  );
end
$$;
comment on function ops.page_explain(text) is 'The members'' part of ops.explain: {id, as_of, gates: [{gate, open, reason}], after}, as late as REST is.';

create function ops.page_open() returns json
language plpgsql volatile security definer
set search_path = ''
as $$
begin
  perform account.admit_session(1);
  perform price.advance();
  return (select json_build_object('count', (a.body::json ->> 'count')::integer, 'as_of', price.iso(a.step)) from api.get_arbitrage('{"limit": 500}') a);
end
$$;
comment on function ops.page_open() is 'How many opportunities GET /v2/arbitrage lists now: {count, as_of}.';

create function api.explain_market(p_id text) returns json
language sql volatile
set search_path = ''
as $$ select ops.page_explain(p_id) $$;
comment on function api.explain_market(text) is 'Why a market is (not) an opportunity: all four gates and what was refused after them.';

create function api.open_opportunities() returns json
language sql volatile
set search_path = ''
as $$ select ops.page_open() $$;
comment on function api.open_opportunities() is 'How many opportunities GET /v2/arbitrage lists now, for a member on any plan: {count, as_of}.';

revoke all on function
  ops.member_risk_reason(uuid),
  ops.gates_of(uuid, boolean),
  ops.member_reason(text),
  ops.after_gates(uuid, timestamptz, timestamptz, boolean),
  ops.explain(text),
  ops.page_explain(text),
  ops.page_open(),
  api.explain_market(text),
  api.open_opportunities()
from public;
grant usage on schema ops to authenticated;
grant execute on function
  ops.page_explain(text),
  ops.page_open(),
  api.explain_market(text),
  api.open_opportunities()
to authenticated;
