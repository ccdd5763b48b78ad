import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { refusedStatusOf } from '../../functions/ingest/socket_events.ts';
import { openWithNode } from '../../functions/ingest/sockets.ts';
import { repository } from '../../local/platform/postgres/binaries.ts';
import { injectFault } from '../support/faults.ts';
import { waitUntil } from '../support/wait_until.ts';
import { type RunningVenues, startVenues } from '../venue_simulator/fixture.ts';

/**
 * Guarantee: the status of a refused handshake is known in both runtimes. Neither WebSocket client
 * has a field for it, so an update of a client that changes its text fails here.
 */

let venues: RunningVenues;
beforeAll(async () => {
  venues = await startVenues('--games', '10');
  await injectFault(venues.sim, { fault: 'expired_key', for_ms: 600_000 });
});
afterAll(() => venues?.end());

const headers = { 'KALSHI-ACCESS-KEY': 'expired' };

describe('the status of a refused handshake', () => {
  it('is known in Deno, with the WebSocket of the runtime', async () => {
    const { ws } = venues.listening.venue_a;
    const program = `
      import { openSocket } from '${join(repository, 'functions/ingest/sockets.ts')}';
      openSocket('${ws}', ${JSON.stringify(headers)}, {
        open() {}, message() {},
        close: (_reason, status) => { console.log(status); Deno.exit(0); },
      });`;
    const args = ['eval', '--ext=ts', '--config', join(repository, 'functions/ingest/deno.json'), program];
    const { stdout } = await promisify(execFile)(join(repository, 'node_modules/.bin/deno'), args, { timeout: 60_000 });
    expect(stdout.trim()).toBe('401');
  }, 60_000);

  it("is known with npm's ws, which connects where the runtime cannot send headers", async () => {
    const closed: (number | null | undefined)[] = [];
    openWithNode(venues.listening.venue_a.ws, headers, {
      open() {},
      message() {},
      close: (_reason, status) => closed.push(status),
    });
    await waitUntil(() => closed.length > 0, { what: 'the refusal' });
    expect(closed).toEqual([401]);
  });

  it('is null for an error that names no status', () => {
    expect([null, undefined, {}, { message: 'connect ECONNREFUSED 127.0.0.1:401' }].map(refusedStatusOf)).toEqual([
      null,
      null,
      null,
      null,
    ]);
  });
});
