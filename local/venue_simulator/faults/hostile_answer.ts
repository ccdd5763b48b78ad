import type { ServerResponse } from 'node:http';
import type { Clock } from '../core/clock.ts';

/** `brackets`, `endless`, or the address to which the answer redirects. */
export type HostileAnswer = string;

/** Half of 10 MB: `JSON.parse` of this many nested arrays needs more than 256 MB. */
const NESTED_ARRAYS = 5_000_000;
/** An endless body ends here, so that a client without a limit does not fill the machine. */
const ENDLESS_MS = 20_000;
const ENDLESS_PART = Buffer.alloc(256 * 1024, '[1,');

export const isHostileAnswer = (how: string | undefined): how is HostileAnswer =>
  how === 'brackets' || how === 'endless' || /^https?:\/\//.test(how ?? '');

/** Answers a request as a hostile venue does. */
export function sendHostile(response: ServerResponse, how: HostileAnswer, clock: Clock): void {
  if (how === 'brackets') {
    response.writeHead(200, { 'content-type': 'application/json' });
    response.write(Buffer.alloc(NESTED_ARRAYS, '['));
    response.end(Buffer.alloc(NESTED_ARRAYS, ']'));
  } else if (how === 'endless') {
    response.writeHead(200, { 'content-type': 'application/json' });
    writeUntilCut(response, clock);
  } else {
    response.writeHead(302, { location: how });
    response.end();
  }
}

function writeUntilCut(response: ServerResponse, clock: Clock): void {
  const until = clock.now() + ENDLESS_MS;
  response.on('error', () => {});
  const next = () => {
    if (response.destroyed) return;
    if (clock.now() >= until) return void response.destroy();
    if (response.write(ENDLESS_PART)) clock.after(0, next);
    else response.once('drain', next);
  };
  next();
}
