import { closeSync, existsSync, openSync, readSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { type ClockSegment, marketTimeAt } from '../../../functions/ingest/clock.ts';
import { UserError } from '../user_error.ts';

/** How fast the recent past is played in: the two minutes of the REST delay take little more than two seconds. */
const REPLAY_START_RATE = 60;
/** Beyond the REST delay: the step of five seconds, and what a message takes on its way at that pace. */
const MARGIN_MS = 15_000;

/**
 * The clock in two parts. At first market time stands still at `shownMs`, until the readers have listings and books; then it is
 * released: whatever a slow machine needs to come up costs no market time, and nothing is missed.
 */
export function pausedClock(nowMs: number, shownMs: number): ClockSegment[] {
  return [{ real_from: nowMs, market_from: shownMs, rate: 0 }];
}

/** Where simulated time begins: far enough back that REST has prices at once, but never before what was shown already. */
export function simulatedStart(nowMs: number, lastShownMs: number | undefined, restDelaySeconds: number): number {
  return Math.max(lastShownMs ?? 0, nowMs - restDelaySeconds * 1000 - MARGIN_MS);
}

/** Where a replay begins: at the recording's first line, or where the last run of it ended. */
export function replayStart(recording: Span, lastShownMs: number | undefined, restDelaySeconds: number): number {
  return Math.min(Math.max(lastShownMs ?? 0, recording.firstMs), replayEnd(recording, restDelaySeconds));
}

/** A held simulated clock goes on at the real time `atMs`: it catches up with real time quickly, then runs at `speed`. */
export function releaseSimulated(held: readonly ClockSegment[], atMs: number, speed: number): ClockSegment[] {
  const shown = marketTimeAt(held, atMs);
  const behind = atMs - shown;
  // Ahead of real time already: a former run was faster than real time.
  if (behind <= 0) return [...held, { real_from: atMs, market_from: shown, rate: speed }];
  const rate = Math.max(REPLAY_START_RATE, speed + 1);
  const played = behind / (rate - 1);
  return [
    ...held,
    { real_from: atMs, market_from: shown, rate },
    { real_from: atMs + played, market_from: shown + played * rate, rate: speed },
  ];
}

/**
 * A held replay goes on at the real time `atMs`: on the recording's own time, quickly until REST has something to show, and
 * standing still once REST has shown its end.
 */
export function releaseReplay(
  held: readonly ClockSegment[],
  atMs: number,
  speed: number,
  recording: Span,
  restDelaySeconds: number,
): ClockSegment[] {
  const end = replayEnd(recording, restDelaySeconds);
  const start = marketTimeAt(held, atMs);
  const quickly = Math.min(Math.max(recording.firstMs + restDelaySeconds * 1000 + MARGIN_MS - start, 0), end - start);
  const segments = [...held];
  let [real, shown] = [atMs, start];
  if (quickly > 0) {
    segments.push({ real_from: real, market_from: shown, rate: Math.max(REPLAY_START_RATE, speed) });
    real += quickly / Math.max(REPLAY_START_RATE, speed);
    shown += quickly;
  }
  if (shown < end) {
    segments.push({ real_from: real, market_from: shown, rate: speed });
    real += (end - shown) / speed;
    shown = end;
  }
  segments.push({ real_from: real, market_from: shown, rate: 0 });
  return segments;
}

/** First and last moment of a recording, epoch milliseconds. */
export type Span = { firstMs: number; lastMs: number };

function replayEnd(recording: Span, restDelaySeconds: number): number {
  return recording.lastMs + restDelaySeconds * 1000 + 10_000;
}

/** First and last `at` of a recording's books.jsonl. Reads its two ends only: recordings are large. */
export function recordingSpan(folder: string): Span {
  for (const name of ['listings.venue_a.json', 'listings.venue_b.json', 'books.jsonl']) {
    if (!existsSync(join(folder, name))) throw new UserError(`${folder} is no recording: it has no ${name}.`);
  }
  const file = join(folder, 'books.jsonl');
  const size = statSync(file).size;
  const [head, tail] = [piece(file, 0, size), piece(file, Math.max(0, size - CHUNK_BYTES), size)];
  const first = atOf(head.split('\n').find((line) => line.trim()));
  const last = atOf(tail.trimEnd().split('\n').at(-1));
  if (first === undefined || last === undefined || last < first) {
    throw new UserError(`${file} is no recording: its lines are {"at", "venue", "message"}, in order of "at".`);
  }
  return { firstMs: first, lastMs: last };
}

/** More than the largest snapshot that either venue sends. */
const CHUNK_BYTES = 4 * 1024 * 1024;

function piece(file: string, from: number, size: number): string {
  const buffer = Buffer.alloc(Math.min(CHUNK_BYTES, size - from));
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
export function fastForwardUntil(segments: readonly ClockSegment[]): number {
  const hurry = segments.findIndex((segment) => segment.rate >= REPLAY_START_RATE);
  return segments[hurry + 1]?.real_from ?? 0;
}
