import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../../local/platform/postgres/postgres.ts';
import { createAuthority, type IssuedCertificate } from '../webhook/support/certificate.ts';
import { type RunningStack, type StackPlace, startStack } from './stack.ts';
import { waitUntil } from './wait_until.ts';

/**
 * Where the shared stack may deliver webhooks to: a port of localhost that is free, and the
 * certificate of the server there.
 */
export type AllowedReceiver = { port: number } & IssuedCertificate;
export type SharedStackFacts = { place: StackPlace; receiver: AllowedReceiver };

/**
 * The stack that the files of a run share: `npm start` on simulated venues. The REST delay is
 * short, so that the snapshot is soon past the fast-forward at the start. The log is complete, for
 * the test that no secret is in it.
 */
export async function startSharedStack(): Promise<{ facts: SharedStackFacts; stop(): Promise<void> }> {
  const home = mkdtempSync(join(tmpdir(), 'parallax-receiver-'));
  const [port, authority] = [await freePort(), createAuthority()];
  writeFileSync(join(home, 'ca.pem'), authority.certificate);
  const stack = await startStack({
    args: ['--webhook-allow', `localhost:${port}`, '--webhook-ca', join(home, 'ca.pem')],
    env: { REST_DELAY_SECONDS: '10', LOG_LEVEL: 'debug' },
  });
  const stop = async () => {
    await stack.stop();
    rmSync(home, { recursive: true, force: true });
  };
  // It goes on while the first files read the stack, and fails when the stack stops before.
  void endBacktest(stack).catch(() => {});
  return { facts: { place: stack.place, receiver: { port, ...authority.issue(['localhost']) } }, stop };
}

/**
 * An opportunity needs a rule with parity, and with this many of them some are always open. After
 * that the settled history of more competitions would take half of the CPU of the stack. No test
 * reads it, so another worker holds the lease of the backtest.
 */
const RULES_WITH_PARITY = 8;

async function endBacktest({ sql }: RunningStack): Promise<void> {
  await waitUntil(
    async () =>
      (await sql`select from catalog.rules where state in ('confirmed', 'pooled')`).length >= RULES_WITH_PARITY,
    { what: 'rules have parity' },
  );
  await sql`
    update venue.leases
    set holder = gen_random_uuid(), token = token + 1, ttl = '1 day', expires_at = clock_timestamp() + interval '23 hours'
    where name = 'backtest'`;
}
