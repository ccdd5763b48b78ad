import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { shownNow } from '../../functions/_shared/clock.ts';
import { recordingSpan, replayTimeline, simulatedTimeline } from '../../local/supervisor/timeline.ts';

const now = Date.parse('2026-11-20T12:00:00Z');

test('a first start plays the last six minutes in within ten seconds and then runs at the wanted speed', () => {
  const clock = simulatedTimeline({ nowMs: now, lastShownMs: undefined, speed: 1, holdMs: 2_000 });
  expect(shownNow(clock, now)).toBe(now - 360_000);
  expect(shownNow(clock, now + 2_000)).toBe(now - 360_000);
  const caughtUp = now + 10_000;
  expect(shownNow(clock, caughtUp)).toBeCloseTo(caughtUp, 0);
  expect(shownNow(clock, caughtUp + 60_000)).toBeCloseTo(caughtUp + 60_000, 0);
});

test('market time never goes back: not within a run, not over a restart, at no speed', () => {
  const moment = fc.integer({ min: -3_600_000, max: 3_600_000 });
  fc.assert(
    fc.property(
      moment,
      fc.double({ min: 0.1, max: 500, noNaN: true }),
      fc.integer({ min: 0, max: 15_000 }),
      (offset, speed, holdMs) => {
        const lastShownMs = now + offset;
        const clock = simulatedTimeline({ nowMs: now, lastShownMs, speed, holdMs });
        let before = lastShownMs;
        for (let real = now; real < now + 60_000; real += 777) {
          const shown = shownNow(clock, real);
          expect(shown).toBeGreaterThanOrEqual(before - 1e-3);
          before = shown;
        }
        // Caught up: never behind real time any more (a slow clock falls behind again by design).
        if (speed >= 1) expect(before).toBeGreaterThanOrEqual(now + 59_000);
      },
    ),
  );
});

test('a replay runs on the time of its recording and stands still once REST has shown its end', () => {
  const recording = { firstMs: Date.parse('2026-05-01T10:00:00Z'), lastMs: Date.parse('2026-05-01T10:20:00Z') };
  const end = recording.lastMs + 130_000;
  const clock = replayTimeline({ nowMs: now, lastShownMs: undefined, speed: 10, holdMs: 1_000 }, recording, 120);
  expect(shownNow(clock, now + 1_000)).toBe(recording.firstMs);
  expect(shownNow(clock, now + 1_000 + 2_500)).toBeCloseTo(recording.firstMs + 150_000, 0);
  expect(shownNow(clock, now + 3_600_000)).toBe(end);
  const again = replayTimeline({ nowMs: now, lastShownMs: end, speed: 10, holdMs: 1_000 }, recording, 120);
  expect(shownNow(again, now)).toBe(end);
  expect(shownNow(again, now + 3_600_000)).toBe(end);
});

test('the span of a recording comes from its two ends; what is no recording is refused in one sentence', () => {
  const folder = mkdtempSync(join(tmpdir(), 'parallax-recording-'));
  try {
    expect(() => recordingSpan(folder)).toThrow(/is no recording: it has no listings.venue_a.json/);
    for (const name of ['listings.venue_a.json', 'listings.venue_b.json']) writeFileSync(join(folder, name), '[]');
    writeFileSync(join(folder, 'books.jsonl'), 'not json\n');
    expect(() => recordingSpan(folder)).toThrow(/its lines are/);
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
