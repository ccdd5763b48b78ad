import type { ToolCall } from './tool.ts';

/** A frame of the stream, as it went on the wire: `type` first (contract.md, Stream). */
export type Frame = { type: string; id?: string } & Record<string, unknown>;

export type WatchResult = {
  mode: 'frames';
  seconds: number;
  /** Markets that were listened to. */
  market_ids: string[];
  unheard: { id: string; code: string }[];
  /** The asks as they stood when listening began, a price frame each. */
  now: Frame[];
  /** What was said since, oldest first: the newest of it where there was more than asked for. */
  frames: Frame[];
  omitted: number;
  /** Something was said that is not in here: the log does not reach back. */
  lost: boolean;
  /** Why it ended before its time: the code of a refusal. */
  ended: string | null;
};

type WatchStart = { heard: string[]; unheard: WatchResult['unheard']; places: unknown; now: Frame[] };
type WatchBatch = { ended?: string; frames: Frame[]; places: unknown; lost: boolean };

// A read of the log is about a millisecond; what is said is at most this much older when it is noticed.
const POLL_INTERVAL_MS = 500;

/**
 * Listens to markets for some seconds, out of the stream's own log and within the key's entitlement. One request to admission; the
 * reads that follow count nothing but ask each time whether the key still may. Ends early where the caller is gone.
 */
export async function watchMarketsFor(
  pairs: readonly string[],
  seconds: number,
  most: number,
  { mcpRequest, signal, progress }: ToolCall,
): Promise<WatchResult> {
  const { queries } = mcpRequest.services;
  const keyHash = mcpRequest.keyHash();
  const row = await mcpRequest.recordAdmission(
    queries.startWatch({ requestId: mcpRequest.requestId, keyHash, pairs, isInvalid: false }),
  );
  const begun = JSON.parse(row.body ?? '{}') as WatchStart;
  const watched: WatchResult = {
    mode: 'frames',
    seconds,
    market_ids: begun.heard,
    unheard: begun.unheard,
    now: begun.now,
    frames: [],
    omitted: 0,
    lost: false,
    ended: null,
  };
  let { places } = begun;
  const began = performance.now();
  for (let told = 0; watched.ended === null && !signal.aborted; ) {
    const passed = (performance.now() - began) / 1000;
    // The last look comes after the last pause, so that what was said until the end is in.
    const over = passed >= seconds;
    const more = JSON.parse(
      await queries.continueWatch({ requestId: mcpRequest.requestId, keyHash, pairs, places }),
    ) as WatchBatch;
    if (more.ended !== undefined) {
      watched.ended = more.ended;
      break;
    }
    places = more.places;
    watched.lost ||= more.lost;
    watched.frames.push(...more.frames);
    if (watched.frames.length > most) {
      watched.omitted += watched.frames.length - most;
      watched.frames.splice(0, watched.frames.length - most);
    }
    if (over) break;
    if (Math.floor(passed) >= told) {
      told = Math.floor(passed) + 1;
      await progress(Math.floor(passed), seconds, `${watched.frames.length + watched.omitted} frames so far`);
    }
    await pause(Math.min(POLL_INTERVAL_MS, Math.max(0, seconds * 1000 - (performance.now() - began))), signal);
  }
  await progress(seconds, seconds, `${watched.frames.length + watched.omitted} frames`);
  return watched;
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    signal.addEventListener('abort', done);
  });
}
