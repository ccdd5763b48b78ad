import { closeSync, existsSync, openSync, readSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { type ClockSegment, marketTimeAt } from '../../../functions/ingest/clock.ts';
import { UserError } from '../user_error.ts';

/**
 * Rate at which the recent past is simulated: the two minutes of the REST delay take little more
 * than two seconds.
 */
const REPLAY_START_RATE = 60;
/**
 * Time in addition to the REST delay: the snapshot step of five seconds, and the delay of a message
 * at that rate.
 */
const MARGIN_MS = 15_000;

/**
 * A clock in two parts. At first, market time is paused at `marketMs` until listings and books have
 * been read; then it is released. So a slow start costs no market time, and nothing is missed.
 */
export function pausedClock(nowMs: number, marketMs: number): ClockSegment[] {
  return [{ real_from: nowMs, market_from: marketMs, rate: 0 }];
}

/**
 * Where simulated time starts: early enough that REST has prices at once, but never before the last
 * saved market time.
 */
export function simulatedStart(nowMs: number, lastMarketMs: number | undefined, restDelaySeconds: number): number {
  return Math.max(lastMarketMs ?? 0, nowMs - restDelaySeconds * 1000 - MARGIN_MS);
}

/** Where a replay starts: at the first line of the recording, or where the last run ended. */
export function replayStart(recording: Span, lastMarketMs: number | undefined, restDelaySeconds: number): number {
  return Math.min(Math.max(lastMarketMs ?? 0, recording.firstMs), replayEnd(recording, restDelaySeconds));
}

/**
 * Releases a paused simulated clock at the real time `atMs`: it catches up with real time quickly,
 * then runs at `speed`.
 */
export function releaseSimulated(paused: readonly ClockSegment[], atMs: number, speed: number): ClockSegment[] {
  const marketMs = marketTimeAt(paused, atMs);
  const behind = atMs - marketMs;
  // Market time is ahead of real time: an earlier run was faster.
  if (behind <= 0) return [...paused, { real_from: atMs, market_from: marketMs, rate: speed }];
  const rate = Math.max(REPLAY_START_RATE, speed + 1);
  const played = behind / (rate - 1);
  return [
    ...paused,
    { real_from: atMs, market_from: marketMs, rate },
    { real_from: atMs + played, market_from: marketMs + played * rate, rate: speed },
  ];
}

/**
 * Releases a paused replay at the real time `atMs`: first quickly until REST has prices, then at
 * the given speed in the recording's own time, and paused again once REST has served its end.
 */
export function releaseReplay(
  paused: readonly ClockSegment[],
  atMs: number,
  speed: number,
  recording: Span,
  restDelaySeconds: number,
): ClockSegment[] {
  const end = replayEnd(recording, restDelaySeconds);
  const start = marketTimeAt(paused, atMs);
  const quickly = Math.min(Math.max(recording.firstMs + restDelaySeconds * 1000 + MARGIN_MS - start, 0), end - start);
  const segments = [...paused];
  let [real, market] = [atMs, start];
  if (quickly > 0) {
    segments.push({ real_from: real, market_from: market, rate: Math.max(REPLAY_START_RATE, speed) });
    real += quickly / Math.max(REPLAY_START_RATE, speed);
    market += quickly;
  }
  if (market < end) {
    segments.push({ real_from: real, market_from: market, rate: speed });
    real += (end - market) / speed;
    market = end;
  }
  segments.push({ real_from: real, market_from: market, rate: 0 });
  return segments;
}

/** First and last time of a recording, epoch milliseconds. */
export type Span = { firstMs: number; lastMs: number };

function replayEnd(recording: Span, restDelaySeconds: number): number {
  return recording.lastMs + restDelaySeconds * 1000 + 10_000;
}

/** First and last `at` of books.jsonl. Reads only both ends, because recordings are large. */
export function recordingSpan(folder: string): Span {
  for (const name of ['listings.venue_a.json', 'listings.venue_b.json', 'books.jsonl']) {
    if (!existsSync(join(folder, name))) throw new UserError(`${folder} is not a recording: it has no ${name}.`);
  }
  const file = join(folder, 'books.jsonl');
  const size = statSync(file).size;
  const [head, tail] = [readChunk(file, 0, size), readChunk(file, Math.max(0, size - CHUNK_BYTES), size)];
  const first = timeOf(head.split('\n').find((line) => line.trim()));
  const last = timeOf(tail.trimEnd().split('\n').at(-1));
  if (first === undefined || last === undefined || last < first) {
    throw new UserError(`${file} is not a recording: its lines must be {"at", "venue", "message"}, in order of "at".`);
  }
  return { firstMs: first, lastMs: last };
}

/** Larger than the largest book snapshot of either venue. */
const CHUNK_BYTES = 4 * 1024 * 1024;

function readChunk(file: string, from: number, size: number): string {
  const buffer = Buffer.alloc(Math.min(CHUNK_BYTES, size - from));
  const handle = openSync(file, 'r');
  try {
    readSync(handle, buffer, 0, buffer.length, from);
  } finally {
    closeSync(handle);
  }
  return buffer.toString('utf8');
}

/**
 * `at` of one line: ISO 8601 text, or a number in epoch milliseconds (or seconds, if it is small).
 */
function timeOf(line: string | undefined): number | undefined {
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

/** Real time (epoch ms) at which the clock reaches its own speed; 0 when it never fast-forwards. */
export function fastForwardUntil(segments: readonly ClockSegment[]): number {
  const fast = segments.findIndex((segment) => segment.rate >= REPLAY_START_RATE);
  return segments[fast + 1]?.real_from ?? 0;
}
