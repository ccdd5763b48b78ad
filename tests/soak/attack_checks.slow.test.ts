import { describe, expect, it } from 'vitest';
import { isWellFormedKey } from '../../functions/api/http/keys.ts';
import { randomKey } from '../support/random_secrets.ts';
import type { CampaignOptions } from './attack/campaign.ts';
import { Campaign } from './attack/campaign.ts';
import { ATTACK_NAMES } from './attack/names.ts';
import { frameHeader } from './attack/raw_socket.ts';
import { type HangingEndpoint, hangingErrors } from './check/hanging.ts';
import { LOOSE_BOUNDS, latencyErrors, latencyFigures, STRICT_BOUNDS } from './check/latency.ts';
import { attackPeakError, levelError } from './check/memory.ts';
import { type DescriptorSample, descriptorError } from './check/sockets.ts';
import { CpuTimes } from './cpu.ts';
import { Findings } from './findings.ts';
import type { Sample } from './load/steady_process.ts';
import { Processes } from './processes.ts';
import { renderAttackers, renderLatencies, renderTimeline } from './report/attacks.ts';
import { cpuUseOf, renderCpu } from './report/cpu.ts';
import type { Result } from './report/result.ts';
import type { Moment } from './timeline.ts';
import { type AttackKind, attackKinds, planWindows, type WindowMark, windowAt } from './windows.ts';

/**
 * Guarantee: each checker of the attacks in `npm run soak` accepts valid data and reports the error
 * that it looks for.
 */

const quiet = (from: number, to: number): WindowMark => ({ kind: 'quiet', from, to });
const attack = (kind: AttackKind, from: number, to: number): WindowMark => ({ kind: 'attack', attack: kind, from, to });
/** `n` answers from `from` on, a millisecond apart, of which every fiftieth takes `slowMs`. */
const answers = (n: number, from: number, slowMs: number, figure = 'MCP tools'): Sample[] =>
  Array.from({ length: n }, (_, index) => ({
    figure,
    at: from + index,
    ms: index % 50 === 0 ? slowMs : 10,
    status: 200,
  }));

describe('the plan of the windows', () => {
  it.each([2, 3, 10, 30, 120])(
    'fills %s minutes, puts a quiet window before each attack and the faults last',
    (minutes) => {
      const windows = planWindows(minutes, attackKinds(ATTACK_NAMES, false), true);
      const total = windows.reduce((sum, { ms }) => sum + ms, 0);
      expect(Math.abs(total - minutes * 60_000)).toBeLessThan(3_000 * minutes);
      for (const [n, { kind }] of windows.entries()) {
        if (kind !== 'attack') continue;
        expect([windows[n - 1]?.kind, windows[n + 1]?.kind]).toEqual(['quiet', 'after']);
      }
      expect(windows.at(-1)?.kind).toBe('faults');
      const kinds = new Set(windows.flatMap(({ attack: kind }) => kind ?? []));
      expect([...kinds]).toEqual([...ATTACK_NAMES, 'all']);
    },
  );

  it('has windows of 60 to 90 s and 25 s after each attack in 30 minutes', () => {
    const windows = planWindows(30, attackKinds(ATTACK_NAMES, false), true);
    for (const { kind, ms } of windows) {
      if (kind === 'quiet' || kind === 'attack') expect(ms).toBeGreaterThan(60_000);
      if (kind === 'quiet' || kind === 'attack') expect(ms).toBeLessThan(90_000);
      if (kind === 'after') expect(ms).toBe(25_000);
    }
  });

  it('is all faults without attacks, and runs a single attack once alone', () => {
    expect(planWindows(2, [], true)).toEqual([{ kind: 'faults', ms: 120_000 }]);
    const kinds = planWindows(1, ['rest'], false).map(({ kind }) => kind);
    expect(kinds).toEqual(['warm-up', 'quiet', 'attack', 'after', 'quiet']);
    expect(attackKinds(['rest'], true)).toEqual(['rest']);
    expect(attackKinds(['rest', 'mcp'], true)).toEqual(['all']);
  });

  it('assigns a time to its window, with the end excluded', () => {
    const windows = [quiet(0, 10), attack('rest', 10, 20)];
    expect([0, 9, 10, 20].map((at) => windowAt(windows, at)?.kind)).toEqual(['quiet', 'quiet', 'attack', undefined]);
  });
});

describe('the checker of latency under attack', () => {
  const windows = [quiet(0, 5_000), attack('rest', 5_000, 10_000), attack('mcp', 10_000, 15_000)];
  const figureOf = (quietMs: number, restMs: number, mcpMs: number, n = 1_500) => {
    const samples = [...answers(n, 0, quietMs), ...answers(n, 5_000, restMs), ...answers(n, 10_000, mcpMs)];
    const figure = latencyFigures(samples, windows).find(({ name }) => name === 'MCP tools');
    if (!figure) throw new Error('no figure');
    return figure;
  };

  it('accepts a p99 of twice the quiet one and reports one above it, for all attacks and for each', () => {
    expect(latencyErrors(figureOf(100, 200, 200), STRICT_BOUNDS)).toEqual([]);
    expect(latencyErrors(figureOf(100, 201, 201), STRICT_BOUNDS)).toEqual([
      'MCP tools: p99 201 ms under all attacks, 100 ms in quiet',
      'MCP tools: p99 201 ms under rest, 100 ms in quiet',
      'MCP tools: p99 201 ms under mcp, 100 ms in quiet',
    ]);
    expect(latencyErrors(figureOf(100, 50, 400), STRICT_BOUNDS).at(-1)).toMatch(/400 ms under mcp/);
  });

  it('reports a figure with fewer than 1,000 answers in quiet or under attack', () => {
    expect(latencyErrors(figureOf(100, 100, 100, 999), STRICT_BOUNDS)).toEqual([
      'MCP tools: only 999 answers in quiet, 1000 are needed'.replace('in quiet', 'quiet'),
    ]);
    expect(latencyErrors(figureOf(100, 100, 100, 400), STRICT_BOUNDS)).toHaveLength(2);
  });

  it('reports in a short run only what is far above the quiet p99', () => {
    expect(latencyErrors(figureOf(100, 2_900, 2_900, 100), LOOSE_BOUNDS)).toEqual([]);
    expect(latencyErrors(figureOf(100, 3_100, 3_100, 100), LOOSE_BOUNDS)).toHaveLength(3);
    expect(latencyErrors(figureOf(400, 3_900, 3_900, 100), LOOSE_BOUNDS)).toEqual([]);
  });

  it('counts only answers of quiet windows and attacks, and each route also in all of REST', () => {
    const between: WindowMark[] = [quiet(0, 100), { kind: 'after', attack: 'rest', from: 100, to: 200 }];
    const figures = latencyFigures([...answers(200, 0, 20, 'REST /v1/account'), ...answers(5, 500, 20)], between);
    expect(figures.map(({ name, quiet: { n } }) => [name, n])).toEqual([
      ['REST, all routes', 100],
      ['REST /v1/account', 100],
      ['MCP tools', 0],
      ['stream frame', 0],
      ['webhook delivery', 0],
    ]);
    // A figure without any answer is an error, not a figure that holds.
    const missing = figures.flatMap((figure) => latencyErrors(figure, LOOSE_BOUNDS));
    expect(missing).toContain('webhook delivery: only 0 answers quiet, 20 are needed');
  });
});

describe('the checker of sockets after an attack', () => {
  const before = quiet(0, 10_000);
  const after: WindowMark = { kind: 'after', attack: 'stream', from: 20_000, to: 40_000 };
  const samplesOf = (then: number, now: number): DescriptorSample[] =>
    [5_000, 8_000, 25_000, 39_000].map((at) => ({ at, descriptors: at < 39_000 ? then : now, sockets: 10 }));

  it('reports descriptors that are not closed at the end, and ignores a time that is too short', () => {
    expect(descriptorError('stream', samplesOf(60, 90), before, after)).toBeNull();
    expect(descriptorError('stream', samplesOf(60, 360), before, after)).toBe(
      'stream has 360 descriptors 20 s after the attack stream, 60 before',
    );
    expect(descriptorError('stream', samplesOf(60, 360), before, { ...after, from: 30_000 })).toBeNull();
    const sockets = samplesOf(60, 60).map((one) => ({ ...one, sockets: one.at < 39_000 ? 10 : 300 }));
    expect(descriptorError('stream', sockets, before, after)).toMatch(/300 sockets/);
  });
});

describe('the checkers of memory under attack', () => {
  const series = (...mbs: number[]) => ({
    ...{ name: 'functions/stream', pid: 1, slackMb: 40 },
    samples: mbs.map((mb, n) => ({ at: n * 1_000, mb })),
  });

  it('reports memory that does not return to its level of the first quiet window', () => {
    expect(levelError(series(80, 90, 500, 110), 1_000, 3_000)).toBeNull();
    expect(levelError(series(80, 90, 500, 160), 1_000, 3_000)).toBe(
      'functions/stream (1) holds 160 MB after the attacks, 90 MB after the first quiet window',
    );
    // Without a sample after the first quiet window there is nothing to compare.
    expect(levelError(series(80, 90), 1_000, 3_000)).toBeNull();
  });

  it('reports a peak under attack far above the quiet one', () => {
    expect(attackPeakError('functions/stream', 90, 200)).toBeNull();
    expect(attackPeakError('functions/stream', 86, 1_109)).toMatch(/held 1109 MB under attack, at most 86 MB/);
  });
});

describe('the checker of hanging receivers', () => {
  const enqueued = Array.from({ length: 1_200 }, (_, n) => `d${n}`);
  const valid: HangingEndpoint = {
    path: '/hang',
    enqueued,
    backlog: enqueued.slice(0, 200).map((id) => ({ id, attempts: 0 })),
    pending: [1_000, 1_004],
    arrivals: new Map([['d200', [0, 6_200, 16_500, 47_000]]]),
  };
  const slack = { earlySeconds: 1, lateSeconds: 3 };
  const errorsOf = (more: Partial<HangingEndpoint>) => hangingErrors({ ...valid, ...more }, slack);

  it('accepts 200 failed with backlog, 1,000 pending and retries after 1, 5 and 25 s', () => {
    expect(errorsOf({})).toEqual([]);
  });

  it.each<[string, Partial<HangingEndpoint>, RegExp]>([
    ['an old delivery that did not fail', { backlog: valid.backlog.slice(1) }, /1 of the 200 oldest/],
    [
      'a failed one that had an attempt',
      { backlog: [...valid.backlog, { id: 'd300', attempts: 2 }] },
      /after an attempt/,
    ],
    ['a backlog above 1,000', { pending: [1_000, 1_150] }, /shows 1150 pending/],
    ['a list without pending deliveries', { pending: [0, 0] }, /no pending delivery/],
    ['an endpoint without attempts', { arrivals: new Map() }, /no delivery was attempted/],
    [
      'a retry that comes too late',
      { arrivals: new Map([['d200', [0, 15_500]]]) },
      /retry 1 of d200 came after 10.5 s/,
    ],
    [
      'a retry that comes too early',
      { arrivals: new Map([['d200', [0, 6_000, 12_000]]]) },
      /retry 2 of d200 came after 1.0 s/,
    ],
  ])('reports %s', (_, more, message) => {
    expect(errorsOf(more)).toEqual([expect.stringMatching(message)]);
  });
});

describe('the campaign', () => {
  const campaignOf = (findings: Findings) =>
    new Campaign({
      ...({
        attacks: ['venue'],
        findings,
        bounds: LOOSE_BOUNDS,
        retrySlack: { earlySeconds: 1, lateSeconds: 3 },
      } as unknown as CampaignOptions),
      processes: new Processes(0),
    });
  const violationsOf = (findings: Findings, name: string) =>
    findings.invariants.get(name)?.violations.map(({ what }) => what);

  it('reports each 503 or missing answer of a paying client in a quiet window or an attack, and no other', () => {
    const findings = new Findings();
    const campaign = campaignOf(findings);
    campaign.windows.push(quiet(0, 100), attack('rest', 100, 200), { kind: 'faults', from: 200, to: 300 });
    const sample = (at: number, status: number): Sample => ({ figure: 'REST /v2/markets', at, ms: 1, status });
    const failed = [
      { at: 120, request: 'GET /v2/leagues', status: 503, code: 'admission.full' },
      { at: 220, request: 'GET /v2/leagues', status: 503, code: 'admission.full' },
    ];
    campaign.check([sample(50, 200), sample(150, 503), sample(160, 0), sample(250, 503)], failed, []);
    expect(violationsOf(findings, 'no 503 for paying clients, quiet or under attack')).toEqual([
      'rest: REST /v2/markets: 503',
      'rest: REST /v2/markets: no answer',
      'rest: GET /v2/leagues: 503 admission.full',
    ]);
  });

  it('reports redirects of the venue that were followed', () => {
    const findings = new Findings();
    const campaign = campaignOf(findings);
    campaign.attackers.reports.set('venue', {
      'hostile answers: redirect': 4,
      'redirects: followed': 2,
      'redirects: followed with a signature': 1,
    });
    campaign.check([], [], []);
    expect(violationsOf(findings, 'no redirect of a venue is followed')).toEqual([
      '2 redirects were followed, 1 with a signature',
    ]);
  });

  it('reports a process that was restarted during an attack', async () => {
    const findings = new Findings();
    const processes = new Processes(0);
    processes.pids = new Map([['functions/ingest', 7]]);
    const windowsBeforeCollections: number[] = [];
    const campaign: Campaign = new Campaign({
      ...({ attacks: ['rest'], command: {}, seed: 1, findings, printLine: () => {} } as unknown as CampaignOptions),
      processes,
      collectGarbage: async () => {
        windowsBeforeCollections.push(campaign.windows.length);
      },
      recover: async () => ({ afterMs: null, problem: 'health is stale' }),
    });
    campaign.attackers.start = async () => {};
    await campaign.run({ kind: 'attack', attack: 'rest', ms: 1 });
    processes.pids = new Map([['functions/ingest', 8]]);
    await campaign.run({ kind: 'after', attack: 'rest', ms: 1 });
    expect(violationsOf(findings, 'no process ends under attack')).toEqual([
      'rest: functions/ingest (7) was restarted or ended',
    ]);
    expect(violationsOf(findings, 'recovery from each attack')).toEqual(['rest: health is stale']);
    expect(windowsBeforeCollections).toEqual([0, 1]);
  });
});

describe('the attackers', () => {
  it('make keys with a right checksum, and a frame header that announces 62 MB', () => {
    expect(isWellFormedKey(randomKey())).toBe(true);
    const header = frameHeader(62_000_000);
    expect([header.length, header[0], header[1], Number(header.readBigUInt64BE(2))]).toEqual([
      14, 0x81, 0xff, 62_000_000,
    ]);
  });
});

describe('the CPU of the processes', () => {
  it('is the cores that each kind used in the windows of an attack, and in quiet ones', () => {
    const moments = [0, 1_000, 2_000, 3_000].map((at, n) => ({ at, cpu: { jobs: [0, 1, 5, 6][n], soak: n / 2 } }));
    const windows = [quiet(0, 1_500), attack('rest', 1_500, 3_500)];
    const use = cpuUseOf(moments as unknown as Moment[], windows);
    expect(use.get('jobs')).toEqual(new Map(Object.entries({ quiet: 1, rest: 1 })));
    expect(use.get('soak')?.get('rest')).toBe(0.5);
    expect(renderCpu({ moments, windows } as unknown as Result)).toContain('<td>jobs</td><td class="n">1.00</td>');
  });

  it.skipIf(process.platform !== 'linux')('counts from the second sample of a process on', () => {
    const cpu = new CpuTimes();
    expect(Object.keys(cpu.add([]))).toEqual(['soak']);
    // 60 ms of CPU, however long they take on a busy machine.
    for (const before = process.cpuUsage(); process.cpuUsage(before).user < 60_000; );
    expect(cpu.add([]).soak).toBeGreaterThan(0.03);
  });
});

describe('the report of the attacks', () => {
  const percentiles = (p99: number) => ({ n: 1_500, p50: 5, p99 });
  const result = {
    ...{ startedAt: 0, endedAt: 3_000, isStrict: true },
    windows: [quiet(0, 1_000), attack('rest', 1_000, 2_000)],
    figures: [
      {
        ...{ name: 'REST /v2/<x>', isJudged: true, quiet: percentiles(20), attacked: percentiles(50) },
        byAttack: { rest: percentiles(50) },
      },
    ],
    attackers: { rest: { 'random keys: 401': 900 } },
  } as unknown as Result;

  it('marks a p99 above the bound, names the windows and lists the answers to the attackers', () => {
    const table = renderLatencies(result);
    expect(table).toContain('REST /v2/&lt;x&gt;');
    expect(table.match(/class="over"/g)).toHaveLength(1);
    expect(table).toContain('2.5');
    expect(renderTimeline(result)).toContain('>rest</span>');
    expect(renderAttackers(result)).toContain('random keys: 401 <b>900</b>');
  });
});
