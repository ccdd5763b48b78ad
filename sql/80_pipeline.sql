-- Schema pipeline: the order of one unit of work across the schemas, in one transaction. Functions
-- of the earlier schemas return what changed.

create schema pipeline;
revoke all on schema pipeline from public;
grant usage on schema pipeline to parallax_api, parallax_ingest, parallax_deliver;
comment on schema pipeline is
  'The order of one unit of work: listings, match, publish; books, price, arb, webhook, stream; '
  'the step of the snapshot.';

create function pipeline.match_listings() returns jsonb
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_pass jsonb := catalog.run_match_pass();
begin
  if v_pass ? 'pairs' then
    perform catalog.propose_names();
  end if;
  if (v_pass ->> 'changed')::integer > 0 then
    perform webhook.fire_pair_created();
    perform stream.publish_changes(stream.unpublished_pairs());
  end if;
  return v_pass;
end
$$;
comment on function pipeline.match_listings() is
  'Pairs the listings of both venues and publishes the changes. Returns {pairs, created, changed, '
  'withdrawn, refused}, or {skipped: true} while another pass runs.';

create function pipeline.refresh_statuses() returns integer
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_moved record;
begin
  select * into v_moved from catalog.refresh_statuses();
  perform arb.settle_track_records(v_moved.moved);
  -- A change of parity also changes pairs that did not move.
  perform stream.publish_changes(case when v_moved.parity_moved then stream.unpublished_pairs() else v_moved.moved end);
  return cardinality(v_moved.moved);
end
$$;
comment on function pipeline.refresh_statuses() is
  'Updates the status of every pair, settles their track records and publishes the changes. '
  'Returns the number of changed pairs.';

create function pipeline.match_backtest(p_token bigint, p_scope text) returns jsonb
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_matched jsonb := catalog.match_backtest(p_token, p_scope);
begin
  if catalog.publish_parity_changes() > 0 then
    perform stream.publish_changes(stream.unpublished_pairs());
  end if;
  return v_matched;
end
$$;
comment on function pipeline.match_backtest(bigint, text) is
  'Matches the settled listings of a scope (catalog.match_backtest) and publishes the pairs whose '
  'rule gained or lost parity.';

create function pipeline.watch_divergence() returns integer
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_raised integer := price.watch_divergence();
begin
  if v_raised > 0 then
    perform stream.publish_changes(stream.unpublished_pairs());
  end if;
  return v_raised;
end
$$;
comment on function pipeline.watch_divergence() is
  'Raises due alarms price_divergence and publishes their pairs. pg_cron calls it each minute. '
  'Returns the number raised.';

create function pipeline.review_alarm(p_pair_id uuid, p_decision text, p_reviewer text, p_note text) returns jsonb
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_alarm jsonb := catalog.review_alarm(p_pair_id, p_decision, p_reviewer, p_note);
begin
  perform stream.publish_changes(stream.unpublished_pairs());
  return v_alarm;
end
$$;
comment on function pipeline.review_alarm(uuid, text, text, text) is
  'For operators: catalog.review_alarm, then publishes the change of the pair.';

create function pipeline.decide_review(
  p_subject text,
  p_decision text,
  p_digest text,
  p_by text,
  p_changes jsonb default '{}',
  p_note text default null
) returns jsonb
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_answer jsonb := catalog.decide_review(p_subject, p_decision, p_digest, p_by, p_changes, p_note);
begin
  perform stream.publish_changes(stream.unpublished_pairs());
  return v_answer;
end
$$;
comment on function pipeline.decide_review(text, text, text, text, jsonb, text) is
  'For operators: catalog.decide_review, then publishes the pairs that are candidates again.';

revoke all on function
  pipeline.match_listings(),
  pipeline.refresh_statuses(),
  pipeline.match_backtest(bigint, text),
  pipeline.watch_divergence(),
  pipeline.review_alarm(uuid, text, text, text),
  pipeline.decide_review(text, text, text, text, jsonb, text)
from public;
grant execute on function
  pipeline.match_listings(),
  pipeline.refresh_statuses(),
  pipeline.match_backtest(bigint, text)
to parallax_ingest;
