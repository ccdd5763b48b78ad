import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ReconnectingSocket } from '../../functions/_shared/reconnecting_socket.ts';
import { openWithNode } from '../../functions/ingest/sockets.ts';
import { repository } from '../../local/platform/postgres/binaries.ts';
import { waitUntil } from '../support/wait_until.ts';
import { type HostileVenue, startHostileVenue } from './hostile_venue.ts';
import { recordingRuntime } from './runtime.ts';

/**
 * Guarantee: no answer and no message of a venue fills the memory of a worker with a heap of 256
 * MB, or takes its signature to another host. Everything here runs in Deno, as the worker does.
 */

let venue: HostileVenue;
beforeAll(async () => {
  venue = await startHostileVenue();
});
afterAll(() => venue?.close());

type Outcome = { code: string; ms: number };
type Report = { outcomes: Record<string, Outcome>; peakMegabytes: number };

/** Runs a program in Deno with the worker's heap. It sets `outcomes`. */
async function runInDeno(program: string): Promise<Report> {
  const functions = join(repository, 'functions');
  const code = `
    import { RestClient } from '${functions}/ingest/feeds/rest.ts';
    import { TokenBucket } from '${functions}/ingest/feeds/bucket.ts';
    import { openWithNode } from '${functions}/ingest/sockets.ts';
    import { systemRuntime as runtime } from '${functions}/_shared/system_runtime.ts';
    const outcomes = {};
    ${program}
    const [, kilobytes] = /VmHWM:\\s+(\\d+)/.exec(Deno.readTextFileSync('/proc/self/status'));
    console.log(JSON.stringify({ outcomes, peakMegabytes: Math.round(kilobytes / 1024) }));
    Deno.exit(0);`;
  const args = ['eval', '--ext=ts', '--v8-flags=--max-old-space-size=256'];
  const config = ['--config', join(functions, 'ingest/deno.json')];
  const deno = join(repository, 'node_modules/.bin/deno');
  const { stdout } = await promisify(execFile)(deno, [...args, ...config, code], { timeout: 110_000 });
  return JSON.parse(stdout.trim().split('\n').at(-1) ?? '');
}

describe.skipIf(process.platform !== 'linux')('a hostile venue', () => {
  it('ends each answer above the limits with a code of its own, and the memory stays flat', async () => {
    const { outcomes, peakMegabytes } = await runInDeno(`
      const client = new RestClient({
        base: '${venue.base}', runtime, bucket: new TokenBucket(100, 100, runtime), attempts: 1, timeoutMs: 20_000,
        sign: async () => ({ 'kalshi-access-key': 'key', 'kalshi-access-signature': 'signature' }),
      });
      for (const path of ['brackets', 'values', 'endless', 'endless_error', 'gzip', 'announced', 'redirect', 'loop']) {
        const began = Date.now();
        const code = await client.get('/' + path).then(() => 'answered', (error) => error.code);
        outcomes[path] = { code, ms: Date.now() - began };
      }
      const impatient = new RestClient({
        base: '${venue.base}', runtime, bucket: new TokenBucket(100, 100, runtime), attempts: 1, timeoutMs: 1_000,
      });
      outcomes.drip = { code: await impatient.get('/drip').then(() => 'answered', (error) => error.code), ms: 0 };`);
    const codes = Object.fromEntries(Object.entries(outcomes).map(([path, { code }]) => [path, code]));
    expect(codes).toEqual({
      brackets: 'rest.too_deep',
      values: 'rest.too_many',
      endless: 'rest.too_large',
      endless_error: 'rest.too_large',
      gzip: 'rest.too_large',
      announced: 'rest.too_large',
      redirect: 'rest.redirect',
      loop: 'rest.redirect',
      drip: 'rest.timeout',
    });
    expect(venue.stolen).toEqual([]);
    expect(peakMegabytes).toBeLessThan(300);
  }, 120_000);

  it('loses the connection with a message above the limits, and the memory stays flat', async () => {
    const { outcomes, peakMegabytes } = await runInDeno(`
      for (const path of ['frame', 'fragments', 'brackets', 'values']) {
        const began = Date.now();
        const code = await new Promise((done) =>
          openWithNode('${venue.ws}/' + path, {}, { open() {}, message: () => done('a message'), close: done }));
        outcomes[path] = { code, ms: Date.now() - began };
      }`);
    const codes = Object.fromEntries(Object.entries(outcomes).map(([path, { code }]) => [path, code]));
    expect(codes).toEqual({
      frame: 'message.too_large',
      fragments: 'message.too_large',
      brackets: 'message.too_deep',
      values: 'message.too_many',
    });
    expect(peakMegabytes).toBeLessThan(200);
  }, 120_000);
});

describe('the socket of a hostile venue', () => {
  const connect = (path: string, silentMs?: number) => {
    const runtime = recordingRuntime();
    const downs: string[] = [];
    const faults: string[] = [];
    const socket = new ReconnectingSocket({
      url: `${venue.ws}${path}`,
      make: openWithNode,
      runtime,
      ...(silentMs === undefined ? {} : { silentMs }),
      on: {
        open: () => {},
        message: () => downs.push('a message'),
        overLimit: (fault) => faults.push(fault),
        down: (why) => downs.push(why),
        ping: () => 'PING',
      },
    });
    socket.start();
    return { socket, downs, faults, runtime };
  };

  it('is opened again with back-off after a message above the limits', async () => {
    const { socket, downs, faults, runtime } = connect('/frame');
    const began = Date.now();
    await waitUntil(() => downs.length >= 4, { what: 'four connections' });
    await socket.stop();
    expect(new Set(downs)).toEqual(new Set(['feed.disconnected']));
    expect(new Set(faults)).toEqual(new Set(['too_large']));
    expect(runtime.lines).toContain('the socket was closed: message.too_large');
    // Half of 200, 400 and 800 ms at least.
    expect(Date.now() - began).toBeGreaterThanOrEqual(700);
  });

  it('counts as silent while a message without an end arrives, so its books become invalid', async () => {
    const { socket, downs } = connect('/unfinished', 1_500);
    await waitUntil(() => downs.length > 0, { what: 'the end of the connection' });
    await socket.stop();
    expect(downs[0]).toBe('feed.silent');
  });
});
