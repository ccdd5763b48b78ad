import { generateKeyPairSync, randomUUID } from 'node:crypto';
import type { JSONWebKeySet } from 'jose';
import { z } from 'zod';

/** A private ES256 key as JWK. Auth signs with the one whose `key_ops` has `sign`. */
export const signingKey = z.object({
  kid: z.string(),
  kty: z.literal('EC'),
  crv: z.literal('P-256'),
  alg: z.literal('ES256'),
  use: z.literal('sig'),
  key_ops: z.array(z.enum(['sign', 'verify'])),
  d: z.string(),
  x: z.string(),
  y: z.string(),
});
export type SigningKey = z.infer<typeof signingKey>;

export function createSigningKey(): SigningKey {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  return signingKey.parse({
    ...privateKey.export({ format: 'jwk' }),
    kid: randomUUID(),
    alg: 'ES256',
    use: 'sig',
    key_ops: ['sign', 'verify'],
  });
}

/** The keys after a rotation: `next` signs, and the keys before only verify. */
export function rotateTo(next: SigningKey, before: readonly SigningKey[]): SigningKey[] {
  return [next, ...before.map((key) => ({ ...key, key_ops: ['verify' as const] }))];
}

/** The public halves, as Auth publishes them. */
export function publicKeys(keys: readonly SigningKey[]): JSONWebKeySet {
  return { keys: keys.map(({ d: _private, ...key }) => ({ ...key, key_ops: ['verify'] })) };
}
