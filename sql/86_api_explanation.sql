-- GET /v2/pairs/{market_id}/explanation: why a market is or is no opportunity.
--
-- The gates and what followed them are those of the market page (arb.explain_pair). No count of
-- repeated rejections is in the body, because it changes within a step.

create function api.explanation_version(p_params jsonb, p_snapshot text) returns text
language plpgsql stable
set search_path = ''
as $$
begin
  return (
    select p_snapshot
    from catalog.pairs p
    where p.pair_id = (p_params ->> 'id')::uuid
      and p.withdrawn_at is null
  );
end
$$;
comment on function api.explanation_version(jsonb, text) is
  'The version of the snapshot, because the answer changes with the step; null for an unknown or '
  'withdrawn id.';

create function api.closest_json(p_quotes text, p_edge_pct numeric) returns json
language sql immutable parallel safe
set search_path = ''
as $$
  select json_build_object(
    'edge_pct', trim_scale(p_edge_pct),
    'cost_per_payout_usd', trim_scale(1 - p_edge_pct / 100),
    -- A book without a size leaves it unknown.
    'contracts', case
      when bool_and(b.quote #>> '{buy,size}' is not null) then min((b.quote #>> '{buy,size}')::numeric)
    end,
    'legs', json_agg(
      json_build_object(
        'outcome', b.quote -> 'outcome', 'venue', b.quote #> '{buy,venue}', 'contract', b.quote #> '{buy,contract}',
        'side', b.quote #> '{buy,side}', 'price', b.quote #> '{buy,price}', 'fee', b.quote #> '{buy,fee}',
        'net', b.quote #> '{buy,net}', 'size', b.quote #> '{buy,size}'
      )
      order by b.place
    )
  )
  from jsonb_array_elements(p_quotes::jsonb) with ordinality as b (quote, place)
  where p_edge_pct is not null
  having count(*) > 0
$$;
comment on function api.closest_json(text, numeric) is
  'The cheapest contract of every outcome with their edge, from a row of price.best_quotes; null '
  'without an edge.';

create function api.get_explanation(p_params jsonb) returns api.route_result
language plpgsql volatile
set search_path = ''
as $$
declare
  v_id uuid := (p_params ->> 'id')::uuid;
  v_answer api.route_result;
begin
  select 200, t.step, api.markets_version(), json_build_object(
           'id', 'mkt_' || p.pair_id,
           'title', p.title,
           'status', p.status,
           'signal', coalesce(s.signal, 'spread'),
           'snapshot_at', base.format_time(t.step),
           'delay_seconds', trim_scale(extract(epoch from g.rest_delay)),
           'code', e.code,
           'gates', e.gates,
           'opportunity', (
             select json_build_object(
               'id', o.one -> 'id', 'opened_at', o.one -> 'opened_at', 'closed_at', o.one -> 'closed_at', 'reason',
               o.one -> 'reason'
             )
             from (select e.after -> 'opportunity' as one) o
             where jsonb_typeof(o.one) = 'object'
           ),
           'rejections', (
             select coalesce(
               json_agg(
                 json_build_object(
                   'stage', r.row -> 'stage', 'reason', r.row -> 'reason', 'first_at', r.row -> 'first_at',
                   'is_current',
                   r.row -> 'is_current'
                 )
                 order by r.place
               ),
               '[]'
             )
             from jsonb_array_elements(e.after -> 'refused') with ordinality as r (row, place)
           ),
           'closest', api.closest_json(b.quotes, b.edge_pct),
           'risks', k.risks,
           'rule', json_build_object(
             'agreeing', coalesce(u.record_agreeing, 0),
             'diverging', coalesce(u.record_diverging, 0),
             'bound_pct', trim_scale(coalesce(u.record_bound, 1) * 100)
           ),
           'weakest_link', catalog.weakest_link(k.risks, u)
         )
  into v_answer.status, v_answer.step, v_answer.version, v_answer.body
  from catalog.pairs p
  cross join price.snapshot_state t
  cross join price.settings g
  left join catalog.rules u on u.rule_id = p.rule_id
  left join price.snapshot s on s.pair_id = p.pair_id
  left join price.best_quotes(array[v_id]) b on b.for_pair = p.pair_id
  cross join lateral (select catalog.public_risks(p.assessment_id) as risks) k
  cross join lateral arb.explain_pair(
    p.pair_id, t.step, (s.price_update).priced_at, coalesce(s.price_reason is null and s.priced, false)
  ) e
  where p.pair_id = v_id
    and p.withdrawn_at is null;
  if v_answer.status is null then
    v_answer.status := 404;
    v_answer.code := 'pair.not_found';
  end if;
  return v_answer;
end
$$;
comment on function api.get_explanation(jsonb) is
  'Why a market is or is no opportunity. p_params: {id: uuid}; 404 pair.not_found for an unknown '
  'or withdrawn id.';

grant execute on function
  api.explanation_version(jsonb, text),
  api.closest_json(text, numeric),
  api.get_explanation(jsonb)
to parallax_api;
