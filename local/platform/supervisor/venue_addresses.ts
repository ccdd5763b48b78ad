import { z } from 'zod';
import { venueSettingsOf } from '../../../functions/ingest/settings.ts';

const address = z.string().regex(/^(https?|wss?):\/\//);
export const venueAddresses = z.object({
  // The simulated venue_a creates its own access key and prints its path. Its handshake is checked
  // like the real one's.
  venue_a: z.object({
    rest: address,
    ws: address,
    key_id: z.string().optional(),
    private_key_file: z.string().optional(),
  }),
  venue_b: z.object({ gamma: address, clob: address, data: address, ws: address }),
});
/** The addresses of both venues, and the access key. */
export type VenueAddresses = z.infer<typeof venueAddresses>;

/** The real venues. The environment may name other hosts, such as a demo. */
export function liveVenues(env: Readonly<Record<string, string | undefined>> = process.env): VenueAddresses {
  const { venueA, venueB } = venueSettingsOf((name) => env[name]);
  return {
    venue_a: { rest: venueA.rest, ws: venueA.socket },
    venue_b: { gamma: venueB.gamma, clob: venueB.clob, data: venueB.data, ws: venueB.socket },
  };
}
