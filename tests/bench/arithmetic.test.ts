import { describe, expect, it } from 'vitest';
import { isOpportunity } from '../../functions/ingest/engine/opportunity.ts';
import { asks, engineDecision, type Stage, stage } from './engine.ts';
import { inTurns, median } from './measure.ts';
import { memoryRows, partOf } from './memory_rows.ts';
import { jsonOf, rowOf, tableOf } from './result_row.ts';

describe("the bench's arithmetic", () => {
  it('takes the middle, and no outlier moves it', () => {
    expect([median([3, 1, 2]), median([4, 1, 2, 3]), median([1, 2, 1_000_000])]).toEqual([2, 2.5, 2]);
    expect(median([])).toBeNaN();
  });

  it('measures in turns, and the round that warms up does not count', async () => {
    const asked: string[] = [];
    const values = { a: [1000, 1, 3, 2], b: [1000, 30, 10, 20] };
    const next = (name: 'a' | 'b') => () => {
      asked.push(name);
      return values[name].shift() ?? 0;
    };
    expect(await inTurns(3, { a: next('a'), b: next('b') })).toEqual({ a: 2, b: 20 });
    expect(asked.join('')).toBe('abababab');
  });

  it('holds at the target and not beyond it, whichever way is better; what was not measured never holds', () => {
    const verdict = (ratio: number, better: 'lower' | 'higher') =>
      rowOf({ name: 'n', ratio, target: 1.5, better, detail: '' }).holds;
    expect([1.49, 1.5, 1.51, Number.NaN].map((ratio) => verdict(ratio, 'lower'))).toEqual([true, true, false, false]);
    expect([1.49, 1.5, 1.51, Number.NaN].map((ratio) => verdict(ratio, 'higher'))).toEqual([false, true, true, false]);
  });

  it('writes {rows: [{name, ratio, target, better, holds, detail}]} and a table that names what missed', () => {
    const rows = [
      rowOf({ name: 'short', ratio: 0.5, target: 1, better: 'lower', detail: 'x' }),
      rowOf({ name: 'a longer name', ratio: 0.5, target: 1, better: 'higher', detail: 'y' }),
    ];
    expect(JSON.parse(jsonOf(rows))).toEqual({
      rows: [
        { name: 'short', ratio: 0.5, target: 1, better: 'lower', holds: true, detail: 'x' },
        { name: 'a longer name', ratio: 0.5, target: 1, better: 'higher', holds: false, detail: 'y' },
      ],
    });
    expect(tableOf(rows)).toEqual(['holds   short          0.50x  <= 1x  x', 'MISSED  a longer name  0.50x  >= 1x  y']);
  });

  it('holds the last sample of the memory against the first, as a whole and part by part', () => {
    const rows = memoryRows([
      { minutes: 2, parts: { api: 100, postgres: 200, gone: 5 }, total: 305 },
      { minutes: 16, parts: { api: 400, postgres: 200 }, total: 600 },
      { minutes: 30, parts: { api: 110, postgres: 300 }, total: 410 },
    ]);
    expect(rows.map(({ name, ratio, holds }) => [name.replace(/^.*: /, ''), Math.round(ratio * 100), holds])).toEqual([
      ['all of it', 134, false],
      ['api', 110, true],
      ['postgres', 150, false],
    ]);
    expect(rows[1]?.detail).toBe('2 min 100 MB, 16 min 400 MB, 30 min 110 MB');
  });

  it('knows the parts of a stack by their command lines', () => {
    const lines = [
      'postgres: parallax api',
      '/x/bin/postgres -D /y',
      'deno run /r/functions/stream/index.ts',
      'node /r/local/platform/realtime/main.ts',
      'node /r/local/cli.ts start',
    ];
    expect(lines.map(partOf)).toEqual(['postgres', 'postgres', 'stream', 'realtime', 'the rest']);
  });
});

describe('the line of the engine', () => {
  it('comes out at a tiny size: an edge and none, each beside JSON.parse of its message', async () => {
    const rows = await engineDecision([5], 20, 1);
    expect(rows.map(({ name }) => name)).toEqual([
      'engine decision, 3 outcomes, 5 levels, an edge',
      'engine decision, 3 outcomes, 5 levels, no edge',
    ]);
    for (const row of rows) expect(row.ratio).toBeGreaterThan(0);
  });

  it('decides what it says that it decides: an opportunity where there is an edge, and none where there is not', () => {
    expect([stage(50, asks.edge), stage(50, asks.none)].map(decided)).toEqual([true, false]);
  });
});

/** Whether the newest frame of the stage's pair holds an opportunity. */
function decided({ engine }: Stage): boolean {
  const opp = engine.queue.take(1_000).at(-1)?.opp;
  return opp !== null && opp !== undefined && isOpportunity(opp);
}
