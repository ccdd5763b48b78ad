import type { Mistake } from './mistakes.ts';

const ADMISSION = ['account/admission.db'];
const GATES = ['catalog/gates.db'];
const PARITY = ['catalog/rules.db'];
const LEASES = ['venue_listings/leases.db'];
const CLAIM = ['webhook/fan_out.db', 'webhook/endpoint_model.db'];
const RESULT = ['webhook/endpoint_model.db'];
const TRACK_RECORD = ['arb/track_record.db'];

export const sqlMistakes: readonly Mistake[] = [
  // Admission
  {
    name: 'every request restarts the window',
    from: 'set window_began_at = case when v_running then u.window_began_at else v_now end',
    to: 'set window_began_at = v_now',
    tests: ADMISSION,
  },
  {
    name: 'the window lasts 90 seconds',
    from: "v_usage.window_began_at > v_now - interval '60 seconds'",
    to: "v_usage.window_began_at > v_now - interval '90 seconds'",
    tests: ADMISSION,
  },
  {
    name: 'the window admits one request too many',
    from: 'greatest(p_spends_window, 1) > v_plan.window_requests',
    to: 'greatest(p_spends_window, 1) > v_plan.window_requests + 1',
    tests: ADMISSION,
  },
  {
    name: 'a request without cost is admitted in a full window',
    from: 'v_in.window_used + greatest(p_spends_window, 1)',
    to: 'v_in.window_used + p_spends_window',
    tests: ADMISSION,
  },
  {
    name: 'the month quota binds requests that carry no data',
    from: 'p_needs_month and v_in.month_used',
    to: 'v_in.month_used',
    tests: ADMISSION,
  },
  {
    name: 'the count of the last month continues in the next month',
    from: 'if v_usage.month = v_month then',
    to: 'if true then',
    tests: ADMISSION,
  },
  {
    name: 'the usage of the last month is not stored',
    from: 'if v_usage.month <> v_month then',
    to: 'if v_usage.month > v_month then',
    tests: ADMISSION,
  },
  {
    name: 'concurrent requests count on the same row without a lock',
    from: 'select u.* into v_usage from account.usage u where u.org_id = p_org_id for update;',
    to: 'select u.* into v_usage from account.usage u where u.org_id = p_org_id;',
    tests: ADMISSION,
  },
  {
    name: 'a revoked key is admitted',
    from: 'v_key.key_id is null or v_key.revoked_at is not null or v_key.expires_at <= v_now',
    to: 'v_key.key_id is null or v_key.expires_at <= v_now',
    tests: ADMISSION,
  },
  {
    name: 'an inactive plan is admitted',
    from: "if v_plan.status <> 'active' then",
    to: "if v_plan.status = 'unknown' then",
    tests: ADMISSION,
  },
  {
    name: 'webhooks are open to a plan without endpoints',
    from: "p_feature = 'webhook' and v_plan.webhook_endpoints = 0",
    to: "p_feature = 'webhook' and v_plan.webhook_endpoints < 0",
    tests: ADMISSION,
  },

  // Gates
  {
    name: 'the higher of the two confidences opens the band gate',
    from: 'judge_band(p.stage, p.band, least(',
    to: 'judge_band(p.stage, p.band, greatest(',
    tests: GATES,
  },
  {
    name: 'a withdrawn rule keeps parity',
    from: "  when p_withdrawn_at is not null then 'parity.withdrawn'\n",
    to: '',
    tests: GATES,
  },
  {
    name: 'a candidate opens the band gate',
    from: "  when p_stage <> 'catalog' then 'band.candidate'\n",
    to: '',
    tests: GATES,
  },
  {
    name: 'the risk gate opens for a high risk',
    from: "return 'risk.' || p_blocking_risk;",
    to: 'return null::text;',
    tests: GATES,
  },

  // Parity
  {
    name: 'the bound counts agreeing occasions only',
    from: 'catalog.divergence_bound(w.counted, w.all_agreeing + w.counted, s.confidence)',
    to: 'catalog.divergence_bound(w.counted, w.all_agreeing, s.confidence)',
    tests: PARITY,
  },
  {
    name: 'a divergence does not withdraw parity',
    from: 'k.refused or k.diverging + k.backtest_diverging > k.reviewed as is_withdrawn',
    to: 'k.refused as is_withdrawn',
    tests: PARITY,
  },
  {
    name: 'a dismissed divergence still counts',
    from: 'greatest(0, k.diverging + k.backtest_diverging - k.dismissed) as counted',
    to: 'k.diverging + k.backtest_diverging as counted',
    tests: PARITY,
  },
  {
    name: 'a rule is confirmed by its history only',
    from: 'not j.is_withdrawn and j.seen_enough and j.bound <= j.max_divergence_rate as confirmed',
    to: 'not j.is_withdrawn and j.bound <= j.max_divergence_rate as confirmed',
    tests: PARITY,
  },
  {
    name: 'each line of a game counts as an occasion',
    from: 'when p_game_id is not null then p_game_id::text',
    to: 'when p_game_id is not null then p_event_a',
    tests: PARITY,
  },
  {
    name: 'concurrent settlements of pairs of one rule miss each other in the count',
    from: 'perform from catalog.rules r where v_rules is null or r.rule_id = any (v_rules) order by r.rule_id for update;',
    to: '',
    tests: PARITY,
  },

  // Leases
  {
    name: 'an expired lease is renewed',
    from: '    and not base.is_over(l.expires_at, l.ttl)\n  returning l.name',
    to: '  returning l.name',
    tests: LEASES,
  },
  {
    name: 'a lease is renewed for another holder',
    from: '    and l.holder = p_holder\n    -- Prices read under an expired lease',
    to: '    -- Prices read under an expired lease',
    tests: LEASES,
  },
  {
    name: 'a write does not hold its lease until the commit',
    from: '    for share of l\n',
    to: '',
    tests: LEASES,
  },
  {
    name: 'a successor takes over under the old token',
    from: '  set holder = p_holder,\n      token = l.token + 1,',
    to: '  set holder = p_holder,\n      token = l.token,',
    tests: LEASES,
  },

  // Claim and result of webhook deliveries
  {
    name: 'a claim takes deliveries that are not due',
    from: '        and n.due_at <= v_now\n        and n.attempts = 0',
    to: '        and n.attempts = 0',
    tests: CLAIM,
  },
  {
    name: 'a claim gives all its deliveries to one organization',
    from: 'order by row_number() over (partition by d.org_id order by d.due_at), d.due_at',
    to: 'order by d.due_at',
    tests: CLAIM,
  },
  {
    name: 'a claimed delivery is due again at once',
    from: 'due_at = v_now + v_lease',
    to: 'due_at = v_now',
    tests: CLAIM,
  },
  {
    name: 'a delivery is attempted once more than three times',
    from: "when d.attempts >= 3 then 'failed'",
    to: "when d.attempts > 3 then 'failed'",
    tests: RESULT,
  },
  {
    name: 'an endpoint is disabled after 21 failures',
    from: 'disabled_at = case when e.failure_count + 1 >= 20 then v_now end',
    to: 'disabled_at = case when e.failure_count >= 20 then v_now end',
    tests: RESULT,
  },
  {
    name: 'a success does not reset the failure count',
    from: '    set failure_count = 0,\n        last_success_at = v_now,',
    to: '    set last_success_at = v_now,',
    tests: RESULT,
  },
  {
    name: 'a result under an old claim counts',
    from: '    and d.claim = p_claim\n  returning * into v_delivery;',
    to: '  returning * into v_delivery;',
    tests: RESULT,
  },
  {
    name: 'the signature leaves out the time',
    from: "convert_to(p_at || '.' || p_body, 'UTF8')",
    to: "convert_to(p_body, 'UTF8')",
    tests: ['webhook/fire.db', 'webhook/contract.system'],
  },

  // Publication
  {
    name: 'a broadcast skips a hole in the offsets',
    from: 'v_size + v_one.size > v_bytes or v_one.at_offset <> v_upto + 1',
    to: 'v_size + v_one.size > v_bytes',
    tests: ['stream/flush.db'],
  },
  {
    name: 'two flushes broadcast at the same time',
    from: "perform pg_advisory_xact_lock(hashtextextended('stream.broadcast_pending', 0));",
    to: '',
    tests: ['stream/flush.db'],
  },
  {
    name: 'a withdrawn pair is not removed from its channel',
    from: '        where p.pair_id is null\n          or p.withdrawn_at is not null',
    to: '        where p.pair_id is null',
    tests: ['stream/published.db'],
  },
  {
    name: 'the log counts one frame too few',
    from: 'set last_offset = c.last_offset + excluded.last_offset',
    to: 'set last_offset = c.last_offset + greatest(excluded.last_offset - 1, 1)',
    tests: ['stream/log.db'],
  },

  // Track record
  {
    name: 'a NO leg is paid like YES',
    from: "case when l.side = 'no' or c.ordinal = 1 then 1 - m.payout else m.payout end as payout",
    to: 'case when c.ordinal = 1 then 1 - m.payout else m.payout end as payout',
    tests: TRACK_RECORD,
  },
  {
    name: 'an opportunity that closes within its first flush is not in the track record',
    from: 'unservable_reason((v_one.opportunity).pair_id, v_one.state) is not null;\n      perform arb.record_served((v_one.opportunity).opportunity_id, (v_one.state).state_no);',
    to: 'unservable_reason((v_one.opportunity).pair_id, v_one.state) is not null;',
    tests: TRACK_RECORD,
  },
  {
    name: 'an amended result is counted as the first one',
    from: '    and l.payout is distinct from p.payout',
    to: '    and l.payout is null',
    tests: TRACK_RECORD,
  },

  // Best quotes of the stream
  {
    name: 'a market that is over keeps its best quotes',
    from: 'where not exists (select from stream.best_markets m where m.pair_id = b.pair_id)',
    to: 'where false',
    tests: ['stream/best.db'],
  },
  {
    name: 'best quotes follow every update, and not once a second',
    from: "exists (select from stream.best_state s where base.is_within(s.compared_at, interval '0.9 seconds'))",
    to: 'false',
    tests: ['stream/best.db'],
  },
  {
    name: 'the best quote to sell adds the fee',
    from: '(p_price + p_sign * p_fee) / 1000000.0',
    to: '(p_price + p_fee) / 1000000.0',
    tests: ['api/get_markets.views.db'],
  },
  {
    name: 'the upper edge of a bucket lacks the step of the grid',
    file: 'sql/333_catalog_legs.sql',
    from: 'upper(catalog.round_range_to_grid(r.range_b, a.grid)) + a.grid',
    to: 'upper(catalog.round_range_to_grid(r.range_b, a.grid))',
    tests: ['catalog/ladders.db'],
  },
  {
    name: 'a note names the stake of the wrong venue',
    file: 'sql/335_catalog_payouts.sql',
    from: "case when p_a = 'winner' then 'venue_a' else 'venue_b' end as played",
    to: "case when p_a = 'winner' then 'venue_b' else 'venue_a' end as played",
    tests: ['catalog/pair_returns.db'],
  },
  {
    name: 'an occasion diverges only where all its pairs do',
    file: 'sql/38_catalog_backtest_match.sql',
    from: 'bool_or(not p.alike), bool_or(p.odd)',
    to: 'bool_and(not p.alike), bool_or(p.odd)',
    tests: ['catalog/settled_pairs.db'],
  },
  {
    name: 'a decision without a digest is taken',
    file: 'sql/39_catalog_review_decide.sql',
    from: "when p_digest is distinct from p_entry ->> 'digest'",
    to: "when p_digest <> p_entry ->> 'digest'",
    tests: ['catalog/review.db'],
  },
  {
    name: 'a withdrawn decision leaves its pairs their band',
    file: 'sql/39_catalog_review_decide.sql',
    from: "      band = 'REVIEW',\n      updated_at",
    to: '      updated_at',
    tests: ['catalog/review.db'],
  },
  {
    name: 'outcomes that leave a gap have a best edge',
    file: 'sql/45_price_best.sql',
    from: "k.event in ('several_can_pay', 'partition_gap')",
    to: "k.event = 'several_can_pay'",
    tests: ['api/partial_outcomes.db'],
  },
  {
    name: 'outcomes of which several can pay have a best edge',
    file: 'sql/45_price_best.sql',
    from: "k.event in ('several_can_pay', 'partition_gap')",
    to: "k.event = 'partition_gap'",
    tests: ['api/partial_outcomes.db'],
  },
  {
    name: 'unread prices are void from now on',
    file: 'sql/42_price_apply.sql',
    from: 'greatest(clock.to_market_time(u.expires_at), l.priced_at)',
    to: 'greatest(clock.now(), l.priced_at)',
    tests: ['price/unread.db'],
  },
  {
    name: 'the history of prices ends after the snapshot',
    file: 'sql/86_api_history.sql',
    from: "date_bin(v_bucket, least(v_to, v_step), timestamptz 'epoch')",
    to: "date_bin(v_bucket, coalesce(v_to, v_step), timestamptz 'epoch')",
    tests: ['api/get_history.db'],
  },
  {
    name: 'an opportunity that opens when its book becomes invalid is kept',
    file: 'sql/57_arb_lifecycle.sql',
    from: 'case when o.opened_at >= v.until then p_at end',
    to: 'case when o.opened_at > v.until then p_at end',
    tests: ['arb/lifecycle.db'],
  },
  {
    name: 'the least edge of a query is rounded up',
    file: 'sql/88_api_arbitrage_history.sql',
    from: 'floor(1000000 - (p_params',
    to: 'ceil(1000000 - (p_params',
    tests: ['api/get_arbitrage_history.db'],
  },
  {
    name: 'a record without a time of settlement stays unsettled',
    file: 'sql/595_arb_track_record.sql',
    from: 'settled_at = coalesce(n.settled_at, v_now)',
    to: 'settled_at = n.settled_at',
    tests: ['arb/track_record.db'],
  },
  {
    name: 'an ended session joins channels',
    file: 'sql/792_stream_entitlements.sql',
    from: '    and (select account.session_error()) is null\n',
    to: '',
    tests: ['stream/readers.db'],
  },
  {
    name: 'a ticket of an expired key connects',
    file: 'sql/798_stream_connections.sql',
    from: '  if v_key.revoked_at is not null or v_key.expires_at <= clock_timestamp() then\n',
    to: '  if v_key.revoked_at is not null then\n',
    tests: ['stream/readers.db'],
  },
  {
    name: 'the relay skips the publication that has the last offset of a round',
    file: 'sql/799_stream_carrier_relay.sql',
    from: '      and p.last_offset < p_top + 200\n',
    to: '      and p.last_offset <= p_top\n',
    tests: ['stream/carrier_relay.db'],
  },
];
