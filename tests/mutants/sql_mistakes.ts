/** A mistake in sql/ that the named database tests must notice. */
export type SqlMistake = {
  /** What the mistake does, as a reviewer would say it. */
  name: string;
  /** A text that one file of sql/ holds once, and what stands there instead. */
  from: string;
  to: string;
  /** Below tests/, without `.test.ts`. */
  tests: readonly string[];
};

const admission = ['account/admission'];
const gates = ['catalog/gates'];
const parity = ['catalog/rules'];
const leases = ['venue_listings/leases'];
const claim = ['webhook/fan_out', 'webhook/endpoint_model'];
const report = ['webhook/endpoint_model'];

export const sqlMistakes: readonly SqlMistake[] = [
  // Admission
  {
    name: 'every request restarts the window',
    from: 'set window_began_at = case when v_running then u.window_began_at else v_now end',
    to: 'set window_began_at = v_now',
    tests: admission,
  },
  {
    name: 'the window lasts 90 seconds',
    from: "v_usage.window_began_at > v_now - interval '60 seconds'",
    to: "v_usage.window_began_at > v_now - interval '90 seconds'",
    tests: admission,
  },
  {
    name: 'the window lets one request too many pass',
    from: 'greatest(p_spends_window, 1) > v_plan.window_requests',
    to: 'greatest(p_spends_window, 1) > v_plan.window_requests + 1',
    tests: admission,
  },
  {
    name: 'a look at a full window is let through',
    from: 'v_in.window_used + greatest(p_spends_window, 1)',
    to: 'v_in.window_used + p_spends_window',
    tests: admission,
  },
  {
    name: 'the month quota binds requests that carry no data',
    from: 'p_needs_month and v_in.month_used',
    to: 'v_in.month_used',
    tests: admission,
  },
  {
    name: 'the count of last month goes on in the next one',
    from: 'case when v_usage.month = v_month then v_usage.month_used else 0 end',
    to: 'v_usage.month_used',
    tests: admission,
  },
  {
    name: 'the last month is not put on record',
    from: 'if v_usage.month <> v_month then',
    to: 'if v_usage.month > v_month then',
    tests: admission,
  },
  {
    name: 'concurrent requests count on the same row without a lock',
    from: 'select u.* into v_usage from account.usage u where u.org_id = p_org_id for update;',
    to: 'select u.* into v_usage from account.usage u where u.org_id = p_org_id;',
    tests: admission,
  },
  {
    name: 'a revoked key is admitted',
    from: 'v_key.key_id is null or v_key.revoked_at <= v_now or v_key.expires_at <= v_now',
    to: 'v_key.key_id is null or v_key.expires_at <= v_now',
    tests: admission,
  },
  {
    name: 'a plan that is not paid for is admitted',
    from: "if v_plan.status <> 'active' then",
    to: "if v_plan.status = 'unknown' then",
    tests: admission,
  },
  {
    name: 'webhooks are open to a plan without endpoints',
    from: "p_feature = 'webhook' and v_plan.webhook_endpoints = 0",
    to: "p_feature = 'webhook' and v_plan.webhook_endpoints < 0",
    tests: admission,
  },

  // Gates
  {
    name: 'the better of the two confidences opens the band gate',
    from: 'judge_band(p.stage, p.band, least(',
    to: 'judge_band(p.stage, p.band, greatest(',
    tests: gates,
  },
  {
    name: 'a rule keeps parity after it was withdrawn',
    from: "  when p_withdrawn_at is not null then 'parity.withdrawn'\n",
    to: '',
    tests: gates,
  },
  {
    name: 'a candidate opens the band gate',
    from: "  when p_stage <> 'catalog' then 'band.candidate'\n",
    to: '',
    tests: gates,
  },
  {
    name: 'the risk gate opens for a high risk',
    from: "return 'risk.' || p_blocking_risk;",
    to: 'return null::text;',
    tests: gates,
  },

  // Parity
  {
    name: 'the bound counts agreeing occasions alone',
    from: 'catalog.divergence_bound(w.counted, w.all_agreeing + w.counted, s.confidence)',
    to: 'catalog.divergence_bound(w.counted, w.all_agreeing, s.confidence)',
    tests: parity,
  },
  {
    name: 'a divergence takes no parity back',
    from: 'k.refused or k.diverging + k.backtest_diverging > k.reviewed as is_withdrawn',
    to: 'k.refused as is_withdrawn',
    tests: parity,
  },
  {
    name: 'a dismissed divergence still counts',
    from: 'greatest(0, k.diverging + k.backtest_diverging - k.dismissed) as counted',
    to: 'k.diverging + k.backtest_diverging as counted',
    tests: parity,
  },
  {
    name: 'a rule is confirmed by history alone',
    from: 'not j.is_withdrawn and j.seen_enough and j.bound <= j.max_divergence_rate as confirmed',
    to: 'not j.is_withdrawn and j.bound <= j.max_divergence_rate as confirmed',
    tests: parity,
  },
  {
    name: 'each line of a game counts as an occasion',
    from: 'when p_pair.game_id is not null then p_pair.game_id::text',
    to: 'when p_pair.game_id is not null then p_pair.pair_id::text',
    tests: parity,
  },
  {
    name: 'two that settle pairs of a rule at once count without each other',
    from: 'perform from catalog.rules r where p_rules is null or r.rule_id = any (p_rules) order by r.rule_id for update;',
    to: '',
    tests: parity,
  },

  // Leases
  {
    name: 'an expired lease is renewed',
    from: '    and l.expires_at > clock_timestamp()\n  returning l.name',
    to: '  returning l.name',
    tests: leases,
  },
  {
    name: 'a lease is renewed for another holder',
    from: '    and l.holder = p_holder\n    -- Prices read under an expired lease',
    to: '    -- Prices read under an expired lease',
    tests: leases,
  },
  {
    name: 'a write does not hold its lease until the commit',
    from: '    for share of l\n',
    to: '',
    tests: leases,
  },
  {
    name: 'a successor takes over under the old token',
    from: '  set holder = p_holder,\n      token = l.token + 1,',
    to: '  set holder = p_holder,\n      token = l.token,',
    tests: leases,
  },

  // Claim and report of webhook deliveries
  {
    name: 'a claim takes deliveries that are not due',
    from: '        and n.due_at <= v_now\n        and n.attempts = 0',
    to: '        and n.attempts = 0',
    tests: claim,
  },
  {
    name: 'a claim gives all places to one organization',
    from: 'order by row_number() over (partition by d.org_id order by d.due_at), d.due_at',
    to: 'order by d.due_at',
    tests: claim,
  },
  {
    name: 'a claimed delivery is due again at once',
    from: 'due_at = v_now + v_lease',
    to: 'due_at = v_now',
    tests: claim,
  },
  {
    name: 'a delivery is attempted once more than three times',
    from: "when d.attempts >= 3 then 'failed'",
    to: "when d.attempts > 3 then 'failed'",
    tests: report,
  },
  {
    name: 'an endpoint is disabled after 21 failures',
    from: 'disabled_at = case when e.failure_count + 1 >= 20 then v_now end',
    to: 'disabled_at = case when e.failure_count >= 20 then v_now end',
    tests: report,
  },
  {
    name: 'a success leaves the count of failures as it is',
    from: '    set failure_count = 0,\n        last_success_at = v_now,',
    to: '    set last_success_at = v_now,',
    tests: report,
  },
  {
    name: 'a report under an old claim counts',
    from: '    and d.claim = p_claim\n  returning * into v_delivery;',
    to: '  returning * into v_delivery;',
    tests: report,
  },
  {
    name: 'the signature leaves out the time',
    from: "convert_to(p_at || '.' || p_body, 'UTF8')",
    to: "convert_to(p_body, 'UTF8')",
    tests: ['webhook/fire', 'webhook/contract'],
  },

  // Publication
  {
    name: 'a broadcast passes over a hole in the offsets',
    from: 'v_size + v_one.size > v_bytes or v_one.at_offset <> v_upto + 1',
    to: 'v_size + v_one.size > v_bytes',
    tests: ['stream/flush'],
  },
  {
    name: 'two flushes broadcast at the same time',
    from: "perform pg_advisory_xact_lock(hashtextextended('stream.broadcast_pending', 0));",
    to: '',
    tests: ['stream/flush'],
  },
  {
    name: 'a withdrawn pair is not removed from its channel',
    from: '        where p.pair_id is null\n          or p.withdrawn_at is not null',
    to: '        where p.pair_id is null',
    tests: ['stream/published'],
  },
  {
    name: 'the log counts one frame too few',
    from: 'set last_offset = c.last_offset + excluded.last_offset',
    to: 'set last_offset = c.last_offset + greatest(excluded.last_offset - 1, 1)',
    tests: ['stream/log'],
  },
];
