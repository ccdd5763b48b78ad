import { readFileSync } from 'node:fs';
import { type VenueSettings, venueSettingsOf } from '../../functions/ingest/settings.ts';
import type { StackFacts } from '../platform/supervisor/data_folder.ts';
import { UserError } from '../platform/user_error.ts';

/** What a probe reads: the addresses of both venues, and the key of venue_a. */
export type ProbeTarget = VenueSettings & {
  /** How the addresses were found, for the first line of the report. */
  name: string;
  /** The clock of the venues: market time, epoch ms. */
  now(): Promise<number>;
};

type Env = Readonly<Record<string, string | undefined>>;

const ADDRESS_VARIABLES = [
  'VENUE_A_REST_URL',
  'VENUE_A_WS_URL',
  'VENUE_B_GAMMA_URL',
  'VENUE_B_CLOB_URL',
  'VENUE_B_DATA_URL',
  'VENUE_B_WS_URL',
];

/** Whether the environment names an address of a venue. */
export const namesAddresses = (env: Env): boolean => ADDRESS_VARIABLES.some((name) => env[name]);

/** The real venues, or the addresses that the environment names instead. */
export function namedTarget(env: Env): ProbeTarget {
  return {
    ...venueSettingsOf((name) => env[name]),
    name: namesAddresses(env) ? 'the addresses in the environment' : 'the real venues',
    now: async () => Date.now(),
  };
}

/** The venues of a running stack. A simulator's market time may differ from real time. */
export function stackTarget(stack: StackFacts, env: Env): ProbeTarget {
  const { venues } = stack;
  if (!venues) {
    throw new UserError(
      'The stack was started by an older version, which did not store the addresses. Start it again.',
    );
  }
  const { venue_a, venue_b } = venues;
  const keyFile = venue_a.private_key_file;
  return {
    name: `the stack at ${stack.base_url} (${stack.source})`,
    venueA: {
      rest: venue_a.rest,
      socket: venue_a.ws,
      keyId: venue_a.key_id ?? env.VENUE_A_KEY_ID ?? null,
      privateKey: keyFile === undefined ? (env.VENUE_A_PRIVATE_KEY ?? null) : readFileSync(keyFile, 'utf8'),
    },
    venueB: { gamma: venue_b.gamma, clob: venue_b.clob, data: venue_b.data, socket: venue_b.ws },
    now: async () => (stack.source === 'live' ? Date.now() : await simulatedTime(venue_a.rest)),
  };
}

async function simulatedTime(rest: string): Promise<number> {
  try {
    const response = await fetch(new URL('/_sim/time', rest), { signal: AbortSignal.timeout(5_000) });
    const { now } = (await response.json()) as { now?: unknown };
    return typeof now === 'number' ? now : Date.now();
  } catch {
    return Date.now();
  }
}
