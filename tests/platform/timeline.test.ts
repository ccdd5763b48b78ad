import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { marketTimeAt } from '../../functions/ingest/clock.ts';
import {
  fastForwardUntil,
  pausedClock,
  recordingSpan,
  releaseReplay,
  releaseSimulated,
  replayStart,
  simulatedStart,
} from '../../local/platform/supervisor/timeline.ts';
import { temporaryFolder } from '../support/temporary_folder.ts';

const now = Date.parse('2026-11-20T12:00:00Z');

test('a released market clock catches up with real time in seconds and then runs at the given speed', () => {
  const start = simulatedStart(now, undefined, 120);
  expect(start).toBe(now - 135_000);
  const held = pausedClock(now, start);
  expect(marketTimeAt(held, now + 30_000)).toBe(start);
  const released = now + 30_000;
  const clock = releaseSimulated(held, released, 1);
  expect(marketTimeAt(clock, released)).toBe(start);
  const caughtUp = released + 3_000;
  expect(marketTimeAt(clock, caughtUp)).toBeCloseTo(caughtUp, 0);
  expect(marketTimeAt(clock, caughtUp + 60_000)).toBeCloseTo(caughtUp + 60_000, 0);
  expect(fastForwardUntil(clock)).toBeLessThan(caughtUp);
});

test('market time never goes back, at any speed and over a restart', () => {
  const moment = fc.integer({ min: -3_600_000, max: 3_600_000 });
  fc.assert(
    fc.property(
      moment,
      fc.double({ min: 0.1, max: 500, noNaN: true }),
      fc.integer({ min: 0, max: 60_000 }),
      (offset, speed, heldMs) => {
        const lastMarketMs = now + offset;
        const held = pausedClock(now, simulatedStart(now, lastMarketMs, 120));
        const clock = releaseSimulated(held, now + heldMs, speed);
        let before = lastMarketMs;
        for (let real = now; real < now + 120_000; real += 777) {
          const marketMs = marketTimeAt(clock, real);
          expect(marketMs).toBeGreaterThanOrEqual(before - 1e-3);
          before = marketMs;
        }
        // Caught up: never behind real time again, except with a speed below 1.
        if (speed >= 1) expect(before).toBeGreaterThanOrEqual(now + 119_000);
      },
    ),
  );
});

test('a replay runs in the time of its recording and pauses after REST has served its end', () => {
  const recording = { firstMs: Date.parse('2026-05-01T10:00:00Z'), lastMs: Date.parse('2026-05-01T10:20:00Z') };
  const end = recording.lastMs + 130_000;
  const held = pausedClock(now, replayStart(recording, undefined, 120));
  expect(marketTimeAt(held, now + 9_000)).toBe(recording.firstMs);
  const clock = releaseReplay(held, now + 9_000, 10, recording, 120);
  expect(marketTimeAt(clock, now + 9_000 + 2_250)).toBeCloseTo(recording.firstMs + 135_000, 0);
  expect(marketTimeAt(clock, now + 3_600_000)).toBe(end);
  const again = releaseReplay(pausedClock(now, replayStart(recording, end, 120)), now + 1_000, 10, recording, 120);
  expect(marketTimeAt(again, now)).toBe(end);
  expect(marketTimeAt(again, now + 3_600_000)).toBe(end);
});

test('recordingSpan reads both ends of a recording, and rejects an invalid one in one sentence', () => {
  const folder = temporaryFolder('recording');
  try {
    expect(() => recordingSpan(folder)).toThrow(/is not a recording: it has no listings.venue_a.json/);
    for (const name of ['listings.venue_a.json', 'listings.venue_b.json']) writeFileSync(join(folder, name), '[]');
    writeFileSync(join(folder, 'books.jsonl'), 'not json\n');
    expect(() => recordingSpan(folder)).toThrow(/its lines must be/);
    const lines = ['2026-05-01T10:00:00Z', '2026-05-01T10:00:05.250Z'].map((at) =>
      JSON.stringify({ at, venue: 'venue_a', message: {} }),
    );
    writeFileSync(join(folder, 'books.jsonl'), `${lines.join('\n')}\n`);
    expect(recordingSpan(folder)).toEqual({
      firstMs: Date.parse('2026-05-01T10:00:00Z'),
      lastMs: Date.parse('2026-05-01T10:00:05.250Z'),
    });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
