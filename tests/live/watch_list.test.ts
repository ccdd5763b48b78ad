import { describe, expect, test } from 'vitest';
import { GapTrails, SAMPLE_EVERY_MS, trailLines } from '../../dashboard/src/live/gap_trails.ts';
import { WatchList } from '../../dashboard/src/live/watch_list.ts';
import { marketRow } from './support/rows.ts';

function memory(text: string | null = null) {
  const kept = { text };
  const setItem = (_: string, value: string): void => {
    kept.text = value;
  };
  return { kept, getItem: () => kept.text, setItem };
}

describe('the watch list', () => {
  test('is stored, read again, and changed by another tab', () => {
    const store = memory();
    const list = new WatchList(() => store);
    let changes = 0;
    list.onChange(() => changes++);
    list.toggle('m1');
    list.toggle('m2');
    list.toggle('m1');
    expect([...new WatchList(() => store).ids]).toEqual(['m2']);
    store.kept.text = '["m3"]';
    list.reload();
    expect([[...list.ids], changes]).toEqual([['m3'], 4]);
  });

  test.each(['{', '{"a":1}', '[1, null]', 'null'])('is empty when %s is stored', (text) => {
    expect(new WatchList(() => memory(text)).ids.size).toBe(0);
  });

  test('lasts as long as the page when the browser blocks storage', () => {
    const list = new WatchList(() => {
      throw new Error('blocked');
    });
    list.toggle('m1');
    expect([...list.ids]).toEqual(['m1']);
  });
});

describe('the trail of a gap', () => {
  const markets = (gap: number | null) => new Map([['m1', { ...marketRow('m1'), spread_pts: gap }]]);

  test('has no value while prices were not live, and none for the time without a page', () => {
    const trails = new GapTrails();
    trails.sample(markets(2), 0, true);
    trails.sample(markets(3), SAMPLE_EVERY_MS, true);
    trails.sample(markets(3), 2 * SAMPLE_EVERY_MS, false);
    trails.sample(markets(4), 20 * SAMPLE_EVERY_MS, true);
    expect(trails.of('m1').map(({ gap }) => gap)).toEqual([2, 3, null, null, 4]);
    expect(trails.period).toBe(20 * SAMPLE_EVERY_MS);
    expect(trails.of('m2')).toEqual([]);
  });

  test('is drawn as steps, interrupted where nothing is known', () => {
    const points = [2, 3, null, 4].map((gap, at) => ({ t: at * 10, gap }));
    expect(trailLines(points, 30, 20)).toEqual(['M0.0,20.0H10.0V10.0', 'M30.0,0.0']);
    expect(trailLines([], 30, 20)).toEqual([]);
    expect(trailLines([{ t: 1, gap: null }], 30, 20)).toEqual([]);
  });
});
