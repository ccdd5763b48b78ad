/**
 * Every way in which this side ends a connection: the WebSocket's close code, and a sentence (at most 123 bytes, and never empty: without
 * one the SDKs take a 45xx for an accident and come back for ever). 3000 to 3499 and 4000 to 4499 tell them to reconnect, 3500 to 3999
 * and 4500 to 4999 that it would be in vain.
 */
export const closeCodes = {
  handover: [3001, 'This server hands over: connect again, nothing is lost.'],
  lease: [3001, 'This connection lost its lease: connect again, nothing is lost.'],
  database: [3001, 'The database cannot be reached right now: connect again.'],
  log: [3001, 'The log of a channel began anew: connect again and read the state.'],
  slow: [3008, 'You read too slowly: connect again to get what you missed.'],
  silent: [3012, 'No pong came.'],
  mute: [3012, 'No connect command came in time.'],
  early: [3501, 'The first command must be connect.'],
  twice: [3501, 'This connection is connected already.'],
  malformed: [3501, 'A frame must be text: one JSON object a line, each a command.'],
  giant: [3501, 'A frame is longer than 64 KiB.'],
  flood: [3501, 'Too many commands.'],
  ticket: [4401, 'This ticket was used, has expired or never was: get a fresh one.'],
  cap: [4429, 'Your organization has no connection left: close another one first.'],
  plan: [4503, "The organization's plan is inactive."],
  key: [4503, 'The API key of this connection was revoked or has expired.'],
} as const satisfies Record<string, readonly [number, string]>;

export type CloseReason = keyof typeof closeCodes;
