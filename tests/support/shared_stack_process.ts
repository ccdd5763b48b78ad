import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../../local/platform/postgres/postgres.ts';
import { createAuthority, type IssuedCertificate } from '../webhook/support/certificate.ts';
import { type StackPlace, startStack } from './stack.ts';

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
  return { facts: { place: stack.place, receiver: { port, ...authority.issue(['localhost']) } }, stop };
}
