-- One flush of price updates: prices, opportunities, webhook events, publications.

create function pipeline.apply_books(p_tokens jsonb, p_frames jsonb, p_quotes jsonb default '[]') returns jsonb
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_applied record;
  v_pairs uuid[] := '{}';
begin
  select * into v_applied from price.apply_flush(p_tokens, p_frames);
  if v_applied.seen is not null then
    v_pairs := arb.apply_updates(v_applied.seen);
  end if;
  perform webhook.detect_crossings(v_applied.put);
  -- Last: the lock of stream.publish_changes is held until the commit.
  perform stream.publish_changes(
    v_pairs,
    v_applied.put,
    p_quotes,
    (
      select coalesce(jsonb_object_agg(t.key, t.value), '{}')
      from jsonb_each(p_tokens) t
      where t.key = any (v_applied.held)
    )
  );
  return jsonb_build_object('applied', coalesce(cardinality(v_applied.put), 0), 'held', to_jsonb(v_applied.held));
end
$$;
-- p_tokens: {lease: token}. p_frames: price updates [{pair, at, ask_a[], ask_b[], bid_a[], bid_b[],
-- size_a[], size_b[], bid_size_a[], bid_size_b[], ladder_a[], read_a, read_b, void, opp}], times in
-- epoch ms, prices in 1e-6 USD, sizes in 0.01 contract. A price update is dropped when its shard is
-- not held, or when it is older than or equal to the newest update of its pair. opp goes to
-- arb.apply_updates. p_quotes: [{pair, venue, contract, side, bid, ask, bid_size, ask_size,
-- venue_time, read_at, void, no}] in the same units, the newest of each leg, under the same fence.
comment on function pipeline.apply_books(jsonb, jsonb, jsonb) is
  'Applies one flush of price updates and quotes in one transaction: price, arb, webhook, stream. '
  'Returns {applied, held}.';

revoke all on function pipeline.apply_books(jsonb, jsonb, jsonb) from public;
grant execute on function pipeline.apply_books(jsonb, jsonb, jsonb) to parallax_ingest;

create function pipeline.record_results(p_results jsonb) returns integer
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_report record;
begin
  select * into v_report from webhook.record_results(p_results);
  -- Last, in the order of the organizations: each append locks its channel until the commit.
  perform stream.publish_org_event(
    e.org_id, 'webhook',
    jsonb_build_object(
      'event', 'disabled', 'id', e.endpoint_id, 'url', e.url, 'disabled_reason', e.disabled_reason, 'failure_count',
      e.failure_count
    )
  )
  from (select * from webhook.endpoints x where x.endpoint_id = any (v_report.disabled) order by x.org_id) e;
  return v_report.known;
end
$$;
comment on function pipeline.record_results(jsonb) is
  'Records results of delivery attempts (webhook.record_results) and publishes which endpoints '
  'they disabled. Returns the number of results that counted.';
revoke all on function pipeline.record_results(jsonb) from public;
grant execute on function pipeline.record_results(jsonb) to parallax_deliver;
