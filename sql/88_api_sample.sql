-- GET /v2/sample: the delayed markets of the sample (plan Free). Everyone may send this request, so
-- there is no admission. Each isolate calls this function once a step (functions/api/sample.ts).

create function api.get_sample(out version text, out as_of text, out left_ms integer, out body text)
language plpgsql volatile
set search_path = ''
as $$
declare
  v_at price.snapshot_position := pipeline.ensure_snapshot();
begin
  left_ms := v_at.left_ms;
  with sample as materialized (
    select s.pair_id, s.start_time, price.market_json(s.head, s.outcomes, s.tail, null, null) as json
    from stream.list_sample() c (pair_id)
    join price.snapshot s on s.pair_id = c.pair_id
    where s.stage = 'catalog'
      and s.status in ('open', 'live')
  )
  -- Two numbers, like every version (functions/api/database.ts). The sample may change within a
  -- step, so ten digits of its ids follow those of the snapshot.
  select t.version || lpad(
           (
             hashtextextended(
               coalesce((select string_agg(p.pair_id::text, ',' order by p.pair_id) from sample p), ''), 0
             )
               & 4294967295
           )::text,
           10, '0'
         ),
         base.format_time(t.step),
         '{"count":' || (select count(*) from sample)
           || ',"snapshot_at":"' || base.format_time(t.step)
           || '","delay_seconds":' || (select trim_scale(extract(epoch from r.rest_delay)) from price.settings r)
           || ',"markets":['
           || coalesce((select string_agg(p.json, ',' order by p.start_time, p.pair_id) from sample p), '') || ']}'
  into version, as_of, body
  from price.snapshot_state t;
end
$$;
comment on function api.get_sample() is
  'The markets of the sample at the REST snapshot, in the order of GET /v2/markets. left_ms: '
  'until the next step.';
grant execute on function api.get_sample() to parallax_api;
