/** A price frame of 330 bytes. Its id ends in 12 digits. */
export const frame = (n: number, marketId = `mkt_00000000-0000-4000-8000-${String(n % 3000).padStart(12, '0')}`) =>
  `{"type":"price","id":"${marketId}","priced_at":"2026-11-20T12:00:00.000Z","books_read_at":{"venue_a":"2026-11-20T12:00:00.000Z","venue_b":"2026-11-20T12:00:00.000Z"},"spread_pts":${n % 50},"potential_arb_pct":null,"signal":"spread","outcomes":[{"key":"home","venue_a":0.4,"venue_b":0.42},{"key":"away","venue_a":0.61,"venue_b":0.6}]}`;

/** How the id of a frame begins that a client looks for. It is as long as that of any other. */
export const MARKER_PREFIX = 'mkt_last0000-0000-4000-8000-';

/** The id of the last frame of a round or of a flush. */
export const markerOf = (sequence: number) => `${MARKER_PREFIX}${String(sequence).padStart(12, '0')}`;

/** The frames of one round or of one flush. The last of them has the marker. */
export function framesWithMarker(count: number, sequence: number): string[] {
  return Array.from({ length: count }, (_, n) => frame(n, n === count - 1 ? markerOf(sequence) : undefined));
}
