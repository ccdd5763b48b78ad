import type { ToolCall } from './tool.ts';

/** A frame of the stream in its wire form: `type` first (contract.md, Stream). */
export type Frame = { type: string; id?: string } & Record<string, unknown>;

export type WatchResult = {
  mode: 'frames';
  seconds: number;
  /** The watched markets. */
  market_ids: string[];
  /** Markets that were not watched, with the error code of each. */
  unheard: { id: string; code: string }[];
  /** One price frame per market: the asks at the start. */
  now: Frame[];
  /** Frames since the start, oldest first. With more than `maxFrames`, the newest ones. */
  frames: Frame[];
  /** Number of older frames that were dropped. */
  omitted: number;
  /** Frames are missing because the publication log did not reach back to them. */
  lost: boolean;
  /** Error code where the watch ended early, such as after a change of the plan. */
  ended: string | null;
};

type WatchStart = { watched: string[]; unheard: WatchResult['unheard']; places: unknown; now: Frame[] };
type WatchBatch = { ended?: string; frames: Frame[]; places: unknown; lost: boolean };

// A read of the log takes about 1 ms. A frame is received at most this long after its publication.
const POLL_INTERVAL_MS = 500;

/**
 * Watches markets for some seconds by polling the publication log. Admission counts one request.
 * Later reads are not counted, but each checks the entitlement of the key again. Ends early when
 * the caller disconnects.
 */
export async function watchMarketsFor(
  pairs: readonly string[],
  seconds: number,
  maxFrames: number,
  { mcpRequest, signal, progress }: ToolCall,
): Promise<WatchResult> {
  const { queries, runtime } = mcpRequest.services;
  const keyHash = mcpRequest.keyHash;
  const row = await mcpRequest.recordAdmission(
    queries.startWatch({ requestId: mcpRequest.requestId, keyHash, pairs, isInvalid: false }),
  );
  const start = JSON.parse(row.body ?? '{}') as WatchStart;
  const result: WatchResult = {
    mode: 'frames',
    seconds,
    market_ids: start.watched,
    unheard: start.unheard,
    now: start.now,
    frames: [],
    omitted: 0,
    lost: false,
    ended: null,
  };
  let { places } = start;
  const startedAt = runtime.now();
  for (let nextProgressAt = 0; result.ended === null && !signal.aborted; ) {
    const elapsed = (runtime.now() - startedAt) / 1000;
    // The last read follows the last pause, so that the frames until the end are included.
    const isLast = elapsed >= seconds;
    const batch = JSON.parse(
      await queries.continueWatch({ requestId: mcpRequest.requestId, keyHash, pairs, places }),
    ) as WatchBatch;
    if (batch.ended !== undefined) {
      result.ended = batch.ended;
      break;
    }
    places = batch.places;
    result.lost ||= batch.lost;
    result.frames.push(...batch.frames);
    if (result.frames.length > maxFrames) {
      result.omitted += result.frames.length - maxFrames;
      result.frames.splice(0, result.frames.length - maxFrames);
    }
    if (isLast) break;
    if (Math.floor(elapsed) >= nextProgressAt) {
      nextProgressAt = Math.floor(elapsed) + 1;
      await progress(Math.floor(elapsed), seconds, `${result.frames.length + result.omitted} frames so far`);
    }
    const leftMs = Math.max(0, seconds * 1000 - (runtime.now() - startedAt));
    await runtime.sleep(Math.min(POLL_INTERVAL_MS, leftMs), signal);
  }
  await progress(seconds, seconds, `${result.frames.length + result.omitted} frames`);
  return result;
}
