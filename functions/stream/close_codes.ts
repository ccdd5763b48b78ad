/**
 * Every reason for which the server ends a connection: the close code of the WebSocket and a
 * sentence of 1 to 123 bytes (the SDKs treat a 45xx without a sentence as an accident and reconnect
 * for ever). Clients reconnect after 3000 to 3499 and 4000 to 4499; they do not after 3500 to 3999
 * and 4500 to 4999.
 */
export const closeCodes = {
  handover: [3001, 'The server is shutting down. Reconnect; no message is lost.'],
  lease: [3001, 'This connection lost its lease. Reconnect; no message is lost.'],
  database: [3001, 'The database is unavailable. Reconnect.'],
  log: [3001, 'The log of a channel was reset. Reconnect and read the channel state again.'],
  slow: [3008, 'This client reads too slowly. Reconnect to receive the missed messages.'],
  silent: [3012, 'The server received no pong.'],
  noConnect: [3012, 'The server received no connect command in time.'],
  notConnected: [3501, 'The first command must be connect.'],
  alreadyConnected: [3501, 'This connection is already connected.'],
  malformed: [3501, 'A frame must be text with one JSON command per line.'],
  tooLarge: [3501, 'A frame is longer than 64 KiB.'],
  tooMany: [3501, 'This client sent too many commands.'],
  ticket: [4401, 'This ticket is unknown, used or expired. Get a new one.'],
  cap: [4429, 'Your organization has reached its connection limit. Close another connection first.'],
  plan: [4503, 'The plan of the organization is inactive.'],
  key: [4503, 'The API key of this connection was revoked or has expired.'],
} as const satisfies Record<string, readonly [number, string]>;

export type CloseReason = keyof typeof closeCodes;
