import { createPublicKey, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { uuidOf } from '../core/ids.ts';

/**
 * The only API key that venue A's simulator accepts. It is created once per data folder and
 * protects only the simulator.
 */
export type AccessKey = PublicAccessKey & { privateKeyFile: string };

/** What the venue knows of it. */
export type PublicAccessKey = { id: string; publicKey: KeyObject };

export function accessKeyIn(folder: string): AccessKey {
  mkdirSync(folder, { recursive: true });
  const privateKeyFile = join(folder, 'venue_a_private_key.pem');
  const publicKeyFile = join(folder, 'venue_a_public_key.pem');
  if (!existsSync(privateKeyFile) || !existsSync(publicKeyFile)) {
    const pair = generateKeyPairSync('rsa', {
      modulusLength: 2048,
      publicKeyEncoding: { type: 'spki', format: 'pem' },
      privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
    });
    writeFileSync(privateKeyFile, pair.privateKey, { mode: 0o600 });
    writeFileSync(publicKeyFile, pair.publicKey);
  }
  const publicPem = readFileSync(publicKeyFile, 'utf8');
  return { id: uuidOf('access', publicPem), privateKeyFile, publicKey: createPublicKey(publicPem) };
}
