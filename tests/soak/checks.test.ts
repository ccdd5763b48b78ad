import { describe, expect, it } from 'vitest';
import { supervisor } from '../../local/platform/supervisor/data_folder.ts';
import { type ChannelState, type Frame, ReplayedState } from '../support/replayed_state.ts';
import { type Ledger, leftIn, wrongCount, wrongLeft } from './check/counts.ts';
import { type DeliveryRow, wrongInDeliveries } from './check/deliveries.ts';
import { wrongInLog } from './check/log.ts';
import { beyondLimit, growthOf, type Life, slackMb } from './check/memory.ts';
import { type WindowRow, wrongInWindows } from './check/opportunities.ts';
import { Sequence } from './check/sequence.ts';
import { Findings } from './findings.ts';
import { Answers } from './load/response_log.ts';
import { readSoakOptions } from './options.ts';
import { Processes } from './processes.ts';
import { seeded, shuffled } from './random.ts';
import { pageOf } from './report/page.ts';
import type { Result } from './report/result.ts';

/** Guarantee: each checker of `npm run soak` passes what is right and fails what it is there for. */

describe('a client’s sequence', () => {
  const begun = () => {
    const one = new Sequence();
    one.subscribed({ epoch: 'e', offset: 7, wasRecovering: false, recovered: false });
    return one;
  };
  const again = { epoch: 'e', offset: 9, wasRecovering: true, recovered: true };

  it('passes offsets in order, over a recovered connection too', () => {
    const one = begun();
    expect([8, 9].map((offset) => one.publication(offset))).toEqual([null, null]);
    expect(one.subscribed({ ...again, offset: 12 })).toBeNull();
    expect([10, 11, 12].map((offset) => one.publication(offset))).toEqual([null, null, null]);
    expect([one.last, one.heard]).toEqual([12, 5]);
  });

  it('fails at a hole, at one that comes again, and at a connection that recovers nothing', () => {
    expect(begun().publication(9)).toMatch(/8 to 8 never came/);
    expect(begun().publication(7)).toMatch(/came again/);
    expect(begun().subscribed({ ...again, recovered: false })).toMatch(/not recovered/);
    expect(begun().subscribed({ ...again, wasRecovering: false })).toMatch(/without recovering/);
    expect(begun().subscribed({ ...again, epoch: 'f' })).toMatch(/epoch e became f/);
    expect(new Sequence().publication(1)).toMatch(/before the subscription/);
  });
});

describe('the log', () => {
  const row = (upto: number, frames: number) => ({ channel: 'c', upto, frames });
  it('has no hole, nothing twice, and ends where its channel stands', () => {
    expect(wrongInLog([row(5, 5), row(8, 3)], new Map([['c', 8]]))).toEqual([]);
    expect(wrongInLog([row(5, 5), row(9, 3)], new Map([['c', 9]]))).toEqual(['c: 7 follows 5']);
    expect(wrongInLog([row(5, 5), row(7, 3)], new Map([['c', 7]]))).toEqual(['c: 5 follows 5']);
    expect(wrongInLog([row(5, 5)], new Map([['c', 6]]))).toEqual(['c: the log ends at 5, the channel at 6']);
  });
});

describe('counts', () => {
  const ledger: Ledger = { org: 'o', counted: [1_000, 5_000, 9_000], unknown: 1 };
  it('are what was admitted, and at most what was never answered beside it', () => {
    expect([3, 4].map((used) => wrongCount(ledger, used, []))).toEqual([null, null]);
    expect(wrongCount(ledger, 2, [])).toMatch(/2 counted, 3 to 4/);
    expect(wrongCount(ledger, 5, [])).toMatch(/5 counted/);
  });
  it('may lack the last second before Postgres was killed, and no more', () => {
    expect(wrongCount(ledger, 2, [5_500])).toBeNull();
    expect(wrongCount(ledger, 1, [5_500])).toMatch(/1 counted, 2 to 4/);
    expect(wrongCount(ledger, 2, [7_000])).toMatch(/2 counted/);
  });

  const left = (window: number, windowEnds: number, month: number) => ({ window, windowEnds, month });
  it('are read off the header and go down by what was asked', () => {
    expect(leftIn('"window";r=599;t=60, "month";r=9999;t=90000')).toEqual(left(599, 60, 9999));
    expect(leftIn('r=5')).toBeNull();
    expect(wrongLeft(left(599, 60, 99), left(598, 59, 98), 1, 0)).toBeNull();
    expect(wrongLeft(left(599, 60, 99), left(598, 59, 99), 0, 0)).toBeNull();
    expect(wrongLeft(left(500, 1, 99), left(599, 60, 98), 1, 0)).toBeNull();
    expect(wrongLeft(left(599, 60, 99), left(597, 59, 97), 1, 1)).toBeNull();
    expect(wrongLeft(left(599, 60, 99), left(597, 59, 97), 1, 0)).toMatch(/month/);
    expect(wrongLeft(left(599, 60, 99), left(598, 59, 100), 0, 0)).toMatch(/month/);
    expect(wrongLeft(left(599, 60, 99), left(599, 59, 98), 1, 0)).toMatch(/window/);
  });
});

describe('memory', () => {
  const life = (mbAt: (minute: number) => number): Life => ({
    slackMb: slackMb.process,
    name: 'x',
    pid: 1,
    samples: Array.from({ length: 120 }, (_, n) => ({ at: n * 5_000, mb: mbAt(n / 12) })),
  });
  it('is flat where it waves, jumps once or fills at first, and is not where it climbs', () => {
    expect(growthOf(life((minute) => 100 + 20 * Math.sin(minute * 9)))).toBeNull();
    expect(growthOf(life((minute) => (minute < 1 ? 100 * minute : 100)))).toBeNull();
    expect(growthOf(life((minute) => (Math.abs(minute - 5) < 0.2 ? 900 : 100)))).toBeNull();
    expect(growthOf(life((minute) => 100 + 10 * minute))).toMatch(/grew by 8\d MB/);
  });

  it.skipIf(process.platform !== 'linux')(
    'of what can be asked to collect its garbage is judged after that alone',
    () => {
      const processes = new Processes(200);
      const rows = ['node local/cli.ts start', 'node local/platform/jobs/main.ts'].map((command, place) => {
        return { pid: [process.pid, process.ppid][place] ?? 0, parent: 1, command };
      });
      expect(Object.keys(processes.sample(rows, 1))).toEqual([supervisor, 'jobs']);
      const judged = () =>
        [...processes.lives.values()].map(({ name, samples }) => `${name} ${samples.map(({ at }) => at)}`);
      expect(judged()).toEqual(['jobs 1']);
      processes.collected(rows, [{ name: supervisor, mb: 50 }], 2);
      expect(judged()).toEqual(['jobs 1', `${supervisor} 2`, `what is alive in ${supervisor} 2`]);
    },
  );

  it('is below a limit where no sample is beyond it', () => {
    expect(
      beyondLimit(
        life(() => 256),
        256,
      ),
    ).toBeNull();
    expect(
      beyondLimit(
        life((minute) => (Math.abs(minute - 5) < 0.2 ? 257 : 100)),
        256,
      ),
    ).toMatch(/held 257 MB.*256/);
  });
});

describe('windows', () => {
  const one: WindowRow = { id: 'w', pair: 'p', from: 10, until: 20, retracted: false, states: [10, 15] };
  it('begin with their first state, go on in order, end, and do not overlap', () => {
    expect(wrongInWindows([one, { ...one, id: 'v', from: 20, until: Number.POSITIVE_INFINITY, states: [20] }])).toEqual(
      [],
    );
    expect(wrongInWindows([{ ...one, states: [] }])[0]).toMatch(/no state/);
    expect(wrongInWindows([{ ...one, states: [11] }])[0]).toMatch(/first state/);
    expect(wrongInWindows([{ ...one, states: [10, 15, 12] }])[0]).toMatch(/a state of 12 after/);
    expect(wrongInWindows([{ ...one, states: [10, 21] }])[0]).toMatch(/after its end/);
    expect(wrongInWindows([one, { ...one, id: 'v', from: 19, until: 30, states: [19] }])[0]).toMatch(/overlap/);
    expect(wrongInWindows([one, { ...one, id: 'v', retracted: true, states: [] }])).toEqual([]);
  });
});

describe('deliveries', () => {
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
  const well = [{ id: 'e', failures: 0, disabled: null }];
  const came = (id = 'd', body = '{}') => new Map([[id, { bodies: new Set([body]), times: 1 }]]);
  const nothing = new Map<string, never>();
  it('arrive with their bytes, once a pair, and count as the table says', () => {
    expect(wrongInDeliveries([row], well, came())).toEqual([]);
    expect(wrongInDeliveries([row], well, nothing)).toEqual(['pair.created d is delivered and never came']);
    expect(wrongInDeliveries([{ ...row, state: 'waiting' }], well, came())[0]).toMatch(/still waits/);
    expect(wrongInDeliveries([{ ...row, state: 'dropped' }], well, came())[0]).toMatch(/live endpoint/);
    expect(wrongInDeliveries([row], well, came('d', '[]'))[0]).toMatch(/another body/);
    expect(wrongInDeliveries([row], well, new Map([...came(), ...came('x')]))[0]).toMatch(/never decided/);
    const twice = wrongInDeliveries([row, { ...row, id: 'x' }], well, new Map([...came(), ...came('x')]));
    expect(twice[0]).toMatch(/twice/);
    const failed = { ...row, state: 'failed', attempts: 4 };
    expect(wrongInDeliveries([failed], [{ id: 'e', failures: 1, disabled: null }], nothing)).toEqual([]);
    expect(wrongInDeliveries([{ ...failed, attempts: 3 }], well, nothing)[0]).toMatch(/after 3 attempts/);
    expect(wrongInDeliveries([failed], well, nothing)[0]).toMatch(/has 0 failures; its deliveries make 1/);
    const twenty = Array.from({ length: 20 }, (_, n) => ({ ...failed, id: `d${n}`, pair: `p${n}`, finished: `${n}` }));
    const still = wrongInDeliveries(twenty, [{ id: 'e', failures: 20, disabled: null }], nothing);
    expect(still[0]).toMatch(/has 20 failures; its deliveries make 20/);
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
  it('is what frames make of it, and differs where one is missing', () => {
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
    ['a price of a market', price],
    ['the removal of a market', removed],
    ['the end of an opportunity', { type: 'opportunity', state: 'closed', opportunity }],
  ])(
    'of a client with every frame refuses %s that no frame has added; of one that began later, ignores it',
    (_, one) => {
      expect(() => new ReplayedState().apply([one])).toThrow(/no frame had added|was not open/);
      const late = new ReplayedState({ offset: 1, markets: [], opportunities: [] });
      late.apply([one]);
      expect(late.state()).toEqual({ markets: [], opportunities: [] });
    },
  );
});

describe('answers', () => {
  const noted = (status: number, code: string, killedAt: number) => {
    const findings = new Findings();
    new Answers(findings, () => killedAt).note('GET /', Date.now(), status, code);
    return findings.violated;
  };
  it('are never a 5xx but 503, nor the gateway’s 502 unless something was just killed', () => {
    expect([200, 404, 503, 0].map((status) => noted(status, '', 0))).toEqual([0, 0, 0, 0]);
    expect(noted(500, 'internal', Date.now())).toBe(1);
    expect(noted(502, 'worker.broken', Date.now())).toBe(0);
    expect(noted(502, 'worker.broken', 0)).toBe(1);
  });
});

describe('a run', () => {
  it('has the same order for the same seed, and another for another', () => {
    const drawn = (seed: number) => shuffled([1, 2, 3, 4, 5, 6, 7, 8], seeded(seed));
    expect(drawn(3)).toEqual(drawn(3));
    expect(drawn(3)).not.toEqual(drawn(4));
  });

  it('refuses a fault that it does not know', () => {
    expect(() => readSoakOptions(['--faults', 'meteor'])).toThrow(/There is no fault meteor/);
    expect(readSoakOptions(['--minutes', '3', '--seed', '9'])).toMatchObject({ minutes: 3, seed: 9, clients: 200 });
  });

  it('says on its page what was violated, when, and escapes it', () => {
    const result: Result = {
      ...{ seed: 9, minutes: 1, clients: 4, began: 0, ended: 60_000, passed: false, statuses: { 200: 5 } },
      ...{ connections: 4, frames: 10, deliveries: 1, moments: [] },
      invariants: [{ name: 'an invariant', looked: 3, violations: [{ at: 61_000, what: 'a <b> went' }] }],
      faults: [{ name: 'kill-api', at: 30_000, wellAfterMs: null }],
    };
    const page = pageOf(result);
    for (const part of ['✗ 1 violations', '1:01 a &lt;b&gt; went', 'kill-api', '✗ never', '<code>9</code>'])
      expect(page).toContain(part);
  });
});
