import { type RunningStack, startStack } from '../support/stack.ts';
import type { SoakOptions } from './options.ts';

/** REST delay in seconds. With the usual two minutes the effects of two faults would overlap. */
const REST_DELAY = 10;

/** Starts the stack that the soak loads. */
export function startStackUnderTest(
  options: SoakOptions,
  allowedHosts: readonly string[],
  caFile: string,
  folder: string,
  signal: AbortSignal,
): Promise<RunningStack> {
  return startStack({
    folder,
    signal,
    args: [
      ...['--games', String(options.games), '--inspect'],
      ...allowedHosts.flatMap((host) => ['--webhook-allow', host]),
      ...['--webhook-ca', caFile],
    ],
    env: { REST_DELAY_SECONDS: String(REST_DELAY), VENUE_TRAPS: 'none', DO_NOT_TRACK: '1' },
    readyWithinMs: 300_000,
    ...(options.port === undefined ? {} : { port: options.port }),
  });
}
