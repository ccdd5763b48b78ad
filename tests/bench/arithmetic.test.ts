import { describe, expect, it } from 'vitest';
import { isOpportunity } from '../../functions/ingest/engine/opportunity.ts';
import { ASKS, createEngine, type EngineFixture, measureEngine } from './engine.ts';
import { interleaved, median } from './measure.ts';
import { memoryRows, partNameOf } from './memory_rows.ts';
import { renderJson, renderTable, toResultRow } from './result_row.ts';

describe('the arithmetic of the bench', () => {
  it('returns the median, which an outlier does not change', () => {
    expect([median([3, 1, 2]), median([4, 1, 2, 3]), median([1, 2, 1_000_000])]).toEqual([2, 2.5, 2]);
    expect(median([])).toBeNaN();
  });

  it('alternates the measurements and drops the first round', async () => {
    const calls: string[] = [];
    const values = { a: [1000, 1, 3, 2], b: [1000, 30, 10, 20] };
    const next = (name: 'a' | 'b') => () => {
      calls.push(name);
      return values[name].shift() ?? 0;
    };
    expect(await interleaved(3, { a: next('a'), b: next('b') })).toEqual({ a: 2, b: 20 });
    expect(calls.join('')).toBe('abababab');
  });

  it('passes a ratio at the target but not beyond it in either direction, and never passes NaN', () => {
    const passesAt = (ratio: number, better: 'lower' | 'higher') =>
      toResultRow({ name: 'n', ratio, target: 1.5, better, detail: '' }).passes;
    expect([1.49, 1.5, 1.51, Number.NaN].map((ratio) => passesAt(ratio, 'lower'))).toEqual([true, true, false, false]);
    expect([1.49, 1.5, 1.51, Number.NaN].map((ratio) => passesAt(ratio, 'higher'))).toEqual([false, true, true, false]);
  });

  it('writes rows with name, ratio, target, better, passes and detail, and a table that names the failed ones', () => {
    const rows = [
      toResultRow({ name: 'short', ratio: 0.5, target: 1, better: 'lower', detail: 'x' }),
      toResultRow({ name: 'a longer name', ratio: 0.5, target: 1, better: 'higher', detail: 'y' }),
    ];
    expect(JSON.parse(renderJson(rows))).toEqual({
      rows: [
        { name: 'short', ratio: 0.5, target: 1, better: 'lower', passes: true, detail: 'x' },
        { name: 'a longer name', ratio: 0.5, target: 1, better: 'higher', passes: false, detail: 'y' },
      ],
    });
    expect(renderTable(rows)).toEqual(['pass  short          0.50x  <= 1x  x', 'FAIL  a longer name  0.50x  >= 1x  y']);
  });

  it('compares the last memory sample with the first, for the whole stack and for each part', () => {
    const rows = memoryRows([
      { minutes: 2, parts: { api: 100, postgres: 200, gone: 5 }, total: 305 },
      { minutes: 16, parts: { api: 400, postgres: 200 }, total: 600 },
      { minutes: 30, parts: { api: 110, postgres: 300 }, total: 410 },
    ]);
    expect(rows.map(({ name, ratio, passes }) => [name.replace(/^.*: /, ''), Math.round(ratio * 100), passes])).toEqual(
      [
        ['whole stack', 134, false],
        ['api', 110, true],
        ['postgres', 150, false],
      ],
    );
    expect(rows[1]?.detail).toBe('2 min 100 MB, 16 min 400 MB, 30 min 110 MB');
  });

  it('identifies the parts of a stack by their command lines', () => {
    const lines = [
      'postgres: parallax api',
      '/x/bin/postgres -D /y',
      'deno run /r/functions/stream/index.ts',
      'node /r/local/platform/realtime/main.ts',
      'node /r/local/cli.ts start',
    ];
    expect(lines.map(partNameOf)).toEqual(['postgres', 'postgres', 'stream', 'realtime', 'the rest']);
  });
});

describe('the measurement of the engine', () => {
  it('returns a ratio to JSON.parse with and without an edge', async () => {
    const rows = await measureEngine([5], 20, 1);
    expect(rows.map(({ name }) => name)).toEqual([
      'engine decision, 3 outcomes, 5 levels, an edge',
      'engine decision, 3 outcomes, 5 levels, no edge',
    ]);
    for (const row of rows) expect(row.ratio).toBeGreaterThan(0);
  });

  it('computes an opportunity when there is an edge, and none when there is not', () => {
    expect([createEngine(50, ASKS.edge), createEngine(50, ASKS.none)].map(hasOpportunity)).toEqual([true, false]);
  });
});

/** Whether the newest price update of the pair has an opportunity. */
function hasOpportunity({ engine }: EngineFixture): boolean {
  const opp = engine.queue.take(1_000).at(-1)?.opp;
  return opp !== null && opp !== undefined && isOpportunity(opp);
}
