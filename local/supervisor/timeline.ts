import { closeSync, existsSync, openSync, readSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { ClockSegment } from '../../functions/_shared/clock.ts';
import { PlainFailure } from '../platform/failure.ts';

/**
 * How much of the recent past a first start plays in, and how fast: the REST delay of 120 s must lie between the first books and
 * the end of the hurry, so what is over is the readers' time to get going. 360 s at 60 take 6 s.
 */
const playInMs = 360_000;
const playInRate = 60;
/** A shorter absence needs no readers in time: what they read before it is still within the REST delay. */
const shortAbsenceMs = 120_000;
/** A replay's first part, which is played in likewise. */
const replayPlayInMs = 150_000;

export type TimelineInput = {
  nowMs: number;
  /** Market time of the last run, if there was one: it never goes back. */
  lastShownMs: number | undefined;
  speed: number;
  /** How long market time waits at its start for the readers to come up. */
  holdMs: number;
};

/**
 * The clock of simulated venues: it begins a few minutes ago (or where the last run ended, if that is later), catches up with
 * real time quickly, and goes on at `speed`.
 */
export function simulatedTimeline(input: TimelineInput): ClockSegment[] {
  const { nowMs, lastShownMs, speed } = input;
  const start = Math.max(lastShownMs ?? 0, nowMs - playInMs);
  const holdMs = nowMs - start > shortAbsenceMs ? input.holdMs : Math.min(input.holdMs, 1_500);
  const behind = nowMs + holdMs - start;
  // Ahead of real time already: a former run was faster than real time.
  if (behind <= holdMs) return [{ from_real: nowMs, from_shown: start, rate: speed }];
  const played = behind / (Math.max(playInRate, speed + 1) - 1);
  const rate = Math.max(playInRate, speed + 1);
  return [
    { from_real: nowMs, from_shown: start, rate: 0 },
    { from_real: nowMs + holdMs, from_shown: start, rate },
    { from_real: nowMs + holdMs + played, from_shown: start + played * rate, rate: speed },
  ];
}

/** The clock of a replay: the recording's own time, quickly at first, standing still once REST has shown its end. */
export function replayTimeline(
  input: TimelineInput,
  recording: { firstMs: number; lastMs: number },
  restDelaySeconds: number,
): ClockSegment[] {
  const { nowMs, lastShownMs, speed, holdMs } = input;
  const end = recording.lastMs + restDelaySeconds * 1000 + 10_000;
  const start = Math.min(Math.max(lastShownMs ?? 0, recording.firstMs), end);
  const quickly = Math.min(Math.max(recording.firstMs + replayPlayInMs - start, 0), end - start);
  const segments: ClockSegment[] = [{ from_real: nowMs, from_shown: start, rate: 0 }];
  let [real, shown] = [nowMs + holdMs, start];
  if (quickly > 0) {
    segments.push({ from_real: real, from_shown: shown, rate: playInRate });
    real += quickly / playInRate;
    shown += quickly;
  }
  if (shown < end) {
    segments.push({ from_real: real, from_shown: shown, rate: speed });
    real += (end - shown) / speed;
    shown = end;
  }
  segments.push({ from_real: real, from_shown: shown, rate: 0 });
  return segments;
}

/** First and last `at` of a recording's books.jsonl. Reads its two ends only: recordings are large. */
export function recordingSpan(folder: string): { firstMs: number; lastMs: number } {
  for (const name of ['listings.venue_a.json', 'listings.venue_b.json', 'books.jsonl']) {
    if (!existsSync(join(folder, name))) throw new PlainFailure(`${folder} is no recording: it has no ${name}.`);
  }
  const file = join(folder, 'books.jsonl');
  const size = statSync(file).size;
  const [head, tail] = [piece(file, 0, size), piece(file, Math.max(0, size - chunk), size)];
  const first = atOf(head.split('\n').find((line) => line.trim()));
  const last = atOf(tail.trimEnd().split('\n').at(-1));
  if (first === undefined || last === undefined || last < first) {
    throw new PlainFailure(`${file} is no recording: its lines are {"at", "venue", "message"}, in order of "at".`);
  }
  return { firstMs: first, lastMs: last };
}

/** More than the largest snapshot that either venue sends. */
const chunk = 4 * 1024 * 1024;

function piece(file: string, from: number, size: number): string {
  const buffer = Buffer.alloc(Math.min(chunk, size - from));
  const handle = openSync(file, 'r');
  try {
    readSync(handle, buffer, 0, buffer.length, from);
  } finally {
    closeSync(handle);
  }
  return buffer.toString('utf8');
}

/** `at` of one line: ISO 8601 text, or a number in epoch milliseconds (or seconds, as small numbers show). */
function atOf(line: string | undefined): number | undefined {
  try {
    const { at } = JSON.parse(line ?? '') as { at?: unknown };
    const value =
      typeof at === 'string' && !/^\d+(\.\d+)?$/.test(at)
        ? Date.parse(at)
        : Number(at) < 1e11
          ? Number(at) * 1000
          : Number(at);
    return Number.isFinite(value) && value > 0 ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Real time (epoch milliseconds) from which the clock goes on at its own speed; 0 when it never hurries. */
export function hurriesUntil(segments: readonly ClockSegment[]): number {
  const hurry = segments.findIndex((segment) => segment.rate >= playInRate);
  return segments[hurry + 1]?.from_real ?? 0;
}
