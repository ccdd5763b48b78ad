import { describe, expect, it } from 'vitest';
import { SUPERVISOR_NAME } from '../../local/platform/supervisor/data_folder.ts';
import { type ChannelState, type Frame, ReplayedState } from '../support/replayed_state.ts';
import { countError, type Ledger, rateStateError, remainingQuotaIn } from './check/counts.ts';
import { type DeliveryRow, deliveryErrors } from './check/deliveries.ts';
import { logErrors } from './check/log.ts';
import { type MemorySeries, memoryGrowthError, memoryLimitError, slackMb } from './check/memory.ts';
import { type OpportunityRow, opportunityErrors } from './check/opportunities.ts';
import { OffsetSequence } from './check/sequence.ts';
import { Findings } from './findings.ts';
import { ResponseLog } from './load/response_log.ts';
import { readSoakOptions } from './options.ts';
import { Processes } from './processes.ts';
import { seededRandom, shuffled } from './random.ts';
import { pageOf } from './report/page.ts';
import type { Result } from './report/result.ts';

/**
 * Guarantee: each checker of `npm run soak` accepts valid data and reports the error that it looks
 * for.
 */

describe('the checker of a client’s sequence', () => {
  const started = () => {
    const one = new OffsetSequence();
    one.subscribed({ epoch: 'e', offset: 7, wasRecovering: false, recovered: false });
    return one;
  };
  const recovered = { epoch: 'e', offset: 9, wasRecovering: true, recovered: true };

  it('accepts offsets in order, also over a recovered connection', () => {
    const one = started();
    expect([8, 9].map((offset) => one.publication(offset))).toEqual([null, null]);
    expect(one.subscribed({ ...recovered, offset: 12 })).toBeNull();
    expect([10, 11, 12].map((offset) => one.publication(offset))).toEqual([null, null, null]);
    expect([one.last, one.received]).toEqual([12, 5]);
  });

  it('reports a missing offset, a repeated offset and a connection that did not recover', () => {
    expect(started().publication(9)).toMatch(/8 to 8 are missing/);
    expect(started().publication(7)).toMatch(/arrived again/);
    expect(started().subscribed({ ...recovered, recovered: false })).toMatch(/not recovered/);
    expect(started().subscribed({ ...recovered, wasRecovering: false })).toMatch(/without recovering/);
    expect(started().subscribed({ ...recovered, epoch: 'f' })).toMatch(/epoch e became f/);
    expect(new OffsetSequence().publication(1)).toMatch(/before the subscription/);
  });
});

describe('the checker of the publication log', () => {
  const row = (upto: number, frames: number) => ({ channel: 'c', upto, frames });
  it('reports a hole, an overlap and a log that does not end at the last offset of its channel', () => {
    expect(logErrors([row(5, 5), row(8, 3)], new Map([['c', 8]]))).toEqual([]);
    expect(logErrors([row(5, 5), row(9, 3)], new Map([['c', 9]]))).toEqual(['c: 7 follows 5']);
    expect(logErrors([row(5, 5), row(7, 3)], new Map([['c', 7]]))).toEqual(['c: 5 follows 5']);
    expect(logErrors([row(5, 5)], new Map([['c', 6]]))).toEqual(['c: the log ends at 5, the channel at 6']);
  });
});

describe('the checkers of counts and rate states', () => {
  const ledger: Ledger = { org: 'o', counted: [1_000, 5_000, 9_000], unknown: 1 };
  it('accepts a count between the answered requests and those plus the unanswered ones', () => {
    expect([3, 4].map((used) => countError(ledger, used, []))).toEqual([null, null]);
    expect(countError(ledger, 2, [])).toMatch(/2 counted, 3 to 4/);
    expect(countError(ledger, 5, [])).toMatch(/5 counted/);
  });
  it('accepts that the counts of the last second before a kill of Postgres are lost, and no others', () => {
    expect(countError(ledger, 2, [5_500])).toBeNull();
    expect(countError(ledger, 1, [5_500])).toMatch(/1 counted, 2 to 4/);
    expect(countError(ledger, 2, [7_000])).toMatch(/2 counted/);
  });

  const state = (window: number, windowSeconds: number, month: number) => ({ window, windowSeconds, month });
  it('parses the rate-limit header and reports a month or window that does not decrease by the requests', () => {
    expect(remainingQuotaIn('"window";r=599;t=60, "month";r=9999;t=90000')).toEqual(state(599, 60, 9999));
    expect(remainingQuotaIn('r=5')).toBeNull();
    expect(rateStateError(state(599, 60, 99), state(598, 59, 98), 1, 0)).toBeNull();
    expect(rateStateError(state(599, 60, 99), state(598, 59, 99), 0, 0)).toBeNull();
    expect(rateStateError(state(500, 1, 99), state(599, 60, 98), 1, 0)).toBeNull();
    expect(rateStateError(state(599, 60, 99), state(597, 59, 97), 1, 1)).toBeNull();
    expect(rateStateError(state(599, 60, 99), state(597, 59, 97), 1, 0)).toMatch(/month/);
    expect(rateStateError(state(599, 60, 99), state(598, 59, 100), 0, 0)).toMatch(/month/);
    expect(rateStateError(state(599, 60, 99), state(599, 59, 98), 1, 0)).toMatch(/window/);
  });
});

describe('the checkers of memory', () => {
  const seriesOf = (mbAt: (minute: number) => number): MemorySeries => ({
    slackMb: slackMb.process,
    name: 'x',
    pid: 1,
    samples: Array.from({ length: 120 }, (_, n) => ({ at: n * 5_000, mb: mbAt(n / 12) })),
  });
  it('reports steady growth, but not a wave, a single peak, the growth of the first minute or of a short run', () => {
    expect(memoryGrowthError(seriesOf((minute) => 100 + 20 * Math.sin(minute * 9)))).toBeNull();
    expect(memoryGrowthError(seriesOf((minute) => (minute < 1 ? 100 * minute : 100)))).toBeNull();
    expect(memoryGrowthError(seriesOf((minute) => (Math.abs(minute - 5) < 0.2 ? 900 : 100)))).toBeNull();
    const steady = seriesOf((minute) => 100 + 10 * minute);
    expect(memoryGrowthError(steady)).toMatch(/grew by 8\d MB/);
    expect(memoryGrowthError({ ...steady, samples: steady.samples.slice(0, 60) })).toBeNull();
  });

  it.skipIf(process.platform !== 'linux')(
    'judges an inspected process only by its memory after a garbage collection',
    () => {
      const processes = new Processes(200);
      const rows = ['node local/cli.ts start', 'node local/platform/jobs/main.ts'].map((command, place) => {
        return { pid: [process.pid, process.ppid][place] ?? 0, parent: 1, command };
      });
      expect(Object.keys(processes.sample(rows, 1))).toEqual([SUPERVISOR_NAME, 'jobs']);
      const judgedSeries = () =>
        [...processes.series.values()].map(({ name, samples }) => `${name} ${samples.map(({ at }) => at)}`);
      expect(judgedSeries()).toEqual(['jobs 1']);
      processes.recordLiveHeaps(rows, [{ name: SUPERVISOR_NAME, objectsMb: 50, buffersMb: 1 }], 2);
      expect(judgedSeries()).toEqual([
        'jobs 1',
        ...['', 'live objects of ', 'live buffers of '].map((what) => `${what}${SUPERVISOR_NAME} 2`),
      ]);
    },
  );

  it.skipIf(process.platform !== 'linux')('lets only the buffers of functions/api fill its cache of responses', () => {
    const processes = new Processes(0);
    const command = 'deno run --unix-socket f-api';
    for (let minute = 0; minute <= 10; minute += 1) {
      const heap = { name: 'functions/api', objectsMb: 20 + 4 * minute, buffersMb: 10 + 4 * minute };
      processes.recordLiveHeaps([{ pid: process.pid, parent: 1, command }], [heap], minute * 60_000);
    }
    const judged = [...processes.series.values()].filter((series) => memoryGrowthError(series) !== null);
    expect(judged.map(({ name }) => name)).toEqual(['live objects of functions/api']);
  });

  it('reports a memory limit only when a sample exceeds it', () => {
    expect(
      memoryLimitError(
        seriesOf(() => 256),
        256,
      ),
    ).toBeNull();
    expect(
      memoryLimitError(
        seriesOf((minute) => (Math.abs(minute - 5) < 0.2 ? 257 : 100)),
        256,
      ),
    ).toMatch(/held 257 MB.*256/);
  });
});

describe('the checker of opportunities', () => {
  const one: OpportunityRow = { id: 'w', pair: 'p', from: 10, until: 20, retracted: false, states: [10, 15] };
  it('reports missing, unordered and late states and overlapping opportunities', () => {
    expect(
      opportunityErrors([one, { ...one, id: 'v', from: 20, until: Number.POSITIVE_INFINITY, states: [20] }]),
    ).toEqual([]);
    expect(opportunityErrors([{ ...one, states: [] }])[0]).toMatch(/no state/);
    expect(opportunityErrors([{ ...one, states: [11] }])[0]).toMatch(/first state/);
    expect(opportunityErrors([{ ...one, states: [10, 15, 12] }])[0]).toMatch(/a state of 12 after/);
    expect(opportunityErrors([{ ...one, states: [10, 21] }])[0]).toMatch(/after its end/);
    expect(opportunityErrors([one, { ...one, id: 'v', from: 19, until: 30, states: [19] }])[0]).toMatch(/overlap/);
    expect(opportunityErrors([one, { ...one, id: 'v', retracted: true, states: [] }])).toEqual([]);
  });
});

describe('the checker of deliveries', () => {
  const row: DeliveryRow = {
    id: 'd',
    endpoint: 'e',
    event: 'pair.created',
    pair: 'p',
    state: 'delivered',
    attempts: 1,
    body: '{}',
    finished: '2026-01-01T00:00:00.000001',
  };
  const endpoints = [{ id: 'e', failures: 0, disabled: null }];
  const arrived = (id = 'd', body = '{}') => new Map([[id, { bodies: new Set([body]), times: 1 }]]);
  const noArrivals = new Map<string, never>();
  it('reports lost, doubled, altered and unknown deliveries and wrong failure counts', () => {
    expect(deliveryErrors([row], endpoints, arrived())).toEqual([]);
    expect(deliveryErrors([row], endpoints, noArrivals)).toEqual(['pair.created d is delivered and did not arrive']);
    expect(deliveryErrors([{ ...row, state: 'waiting' }], endpoints, arrived())[0]).toMatch(/still waits/);
    expect(deliveryErrors([{ ...row, state: 'dropped' }], endpoints, arrived())[0]).toMatch(/enabled endpoint/);
    expect(deliveryErrors([row], endpoints, arrived('d', '[]'))[0]).toMatch(/not its own/);
    expect(deliveryErrors([row], endpoints, new Map([...arrived(), ...arrived('x')]))[0]).toMatch(/not in webhook/);
    const twice = deliveryErrors([row, { ...row, id: 'x' }], endpoints, new Map([...arrived(), ...arrived('x')]));
    expect(twice[0]).toMatch(/second delivery/);
    const failed = { ...row, state: 'failed', attempts: 4 };
    expect(deliveryErrors([failed], [{ id: 'e', failures: 1, disabled: null }], noArrivals)).toEqual([]);
    expect(deliveryErrors([{ ...failed, attempts: 3 }], endpoints, noArrivals)[0]).toMatch(/after 3 attempts/);
    expect(deliveryErrors([failed], endpoints, noArrivals)[0]).toMatch(/has 0 failures; its deliveries have 1/);
    const twenty = Array.from({ length: 20 }, (_, n) => ({ ...failed, id: `d${n}`, pair: `p${n}`, finished: `${n}` }));
    const notDisabled = deliveryErrors(twenty, [{ id: 'e', failures: 20, disabled: null }], noArrivals);
    expect(notDisabled[0]).toMatch(/has 20 failures; its deliveries have 20/);
  });
});

describe('the replayed state', () => {
  const books_read_at = { venue_a: '2026-11-20T12:00:00Z', venue_b: '2026-11-20T12:00:00Z' };
  const priced = { potential_arb_pct: null, priced_at: '2026-11-20T12:00:00Z', books_read_at };
  const market = {
    ...{ ...priced, id: 'm', status: 'open', signal: 'spread', spread_pts: 2, outcomes: [] },
    coverage: { venue_a: false, venue_b: false },
  };
  const leg = { key: 'a', name: 'A', venue_a: 0.5, venue_b: 0.48, cheaper: 'venue_b' };
  const state = (more: object): ChannelState => ({ offset: 1, markets: [{ ...market, ...more }], opportunities: [] });
  const outcomes = [{ key: 'a', venue_a: 0.5, venue_b: 0.48, side: 'yes' as const }];
  const price: Frame = { type: 'price', id: 'm', ...priced, spread_pts: 3, signal: 'arb', outcomes };
  const opportunity = { id: 'o', market_id: 'm', max_contracts: 1, priced_at: priced.priced_at };
  const removed: Frame = { type: 'market_removed', id: 'm', reason: 'forgotten' };
  it('applies frames and reports the difference when a frame is missing', () => {
    const replayed = new ReplayedState(state({}));
    replayed.apply([price]);
    expect(replayed.differences(state({ spread_pts: 3, signal: 'arb', outcomes: [leg] }))).toEqual([]);
    expect(replayed.differences(state({ spread_pts: 2, signal: 'arb', outcomes: [leg] }))).toHaveLength(1);
    replayed.apply([{ type: 'opportunity', state: 'opened', opportunity }]);
    expect(replayed.differences(state({ spread_pts: 3, signal: 'arb', outcomes: [leg] }))[0]).toMatch(/opportunity o/);
    replayed.apply([{ type: 'opportunity', state: 'closed', opportunity }, removed]);
    expect(replayed.differences({ offset: 2, markets: [], opportunities: [] })).toEqual([]);
  });

  it.each<[string, Frame]>([
    ['a price', price],
    ['a removal', removed],
    ['a close', { type: 'opportunity', state: 'closed', opportunity }],
  ])('with every frame it throws on %s of an unknown item; after a channel state it ignores that', (_, one) => {
    expect(() => new ReplayedState().apply([one])).toThrow(/no frame had added|was not open/);
    const late = new ReplayedState({ offset: 1, markets: [], opportunities: [] });
    late.apply([one]);
    expect(late.state()).toEqual({ markets: [], opportunities: [] });
  });
});

describe('the response log', () => {
  const violationsOf = (status: number, code: string, killedAt: number) => {
    const findings = new Findings();
    new ResponseLog(findings, () => killedAt).record('GET /', Date.now(), status, code);
    return findings.violated;
  };
  it('reports each 5xx except 503, and a 502 of the gateway only without a recent kill', () => {
    expect([200, 404, 503, 0].map((status) => violationsOf(status, '', 0))).toEqual([0, 0, 0, 0]);
    expect(violationsOf(500, 'internal', Date.now())).toBe(1);
    expect(violationsOf(502, 'worker.broken', Date.now())).toBe(0);
    expect(violationsOf(502, 'worker.broken', 0)).toBe(1);
  });
});

describe('a soak run', () => {
  it('shuffles faults the same for the same seed and differently for another seed', () => {
    const shuffledWith = (seed: number) => shuffled([1, 2, 3, 4, 5, 6, 7, 8], seededRandom(seed));
    expect(shuffledWith(3)).toEqual(shuffledWith(3));
    expect(shuffledWith(3)).not.toEqual(shuffledWith(4));
  });

  it('rejects an unknown fault and an unknown attack, and takes none of either', () => {
    expect(() => readSoakOptions(['--faults', 'meteor'])).toThrow(/Unknown fault meteor/);
    expect(() => readSoakOptions(['--attacks', 'rest,meteor'])).toThrow(/Unknown attack meteor/);
    expect(readSoakOptions(['--attacks', 'none', '--faults', 'kill-api'])).toMatchObject({
      ...{ attacks: [], faults: ['kill-api'] },
    });
    expect(readSoakOptions(['--minutes', '3', '--seed', '9'])).toMatchObject({ minutes: 3, seed: 9, clients: 200 });
  });

  it('lists the violations on its report page with times, and escapes them', () => {
    const result: Result = {
      ...{ seed: 9, minutes: 1, clients: 4, startedAt: 0, endedAt: 60_000, passed: false, statuses: { 200: 5 } },
      ...{ connections: 4, frames: 10, deliveries: 1, moments: [], windows: [], figures: [], attackers: {} },
      isStrict: false,
      invariants: [{ name: 'an invariant', checked: 3, violations: [{ at: 61_000, what: 'a <b> went' }] }],
      faults: [{ name: 'kill-api', at: 30_000, recoveredAfterMs: null }],
    };
    const page = pageOf(result);
    for (const part of ['✗ 1 violations', '1:01 a &lt;b&gt; went', 'kill-api', '✗ never', '<code>9</code>'])
      expect(page).toContain(part);
  });
});
