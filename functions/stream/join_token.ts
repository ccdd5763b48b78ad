import type { Signer } from '../_shared/signing.ts';

/**
 * Returns a token with which this function joins any private topic of Realtime. It may be renewed:
 * each call returns one that is good for at least four minutes.
 */
export type JoinToken = () => Promise<string>;

const TOKEN_SECONDS = 600;
const RENEW_SECONDS = 300;

/**
 * The claim `carrier` lets a token join every topic (stream.is_carrier). The token names no person:
 * without `sub` the Data API finds no user.
 */
export function joinToken(signer: Promise<Signer>, now: () => number): JoinToken {
  let token: Promise<string> | undefined;
  let renewAt = 0;
  return async () => {
    const seconds = Math.floor(now() / 1_000);
    if (!token || seconds >= renewAt) {
      const claims = { role: 'authenticated', aud: 'authenticated', carrier: 'stream' };
      token = signer.then((it) => it.sign({ ...claims, iat: seconds, exp: seconds + TOKEN_SECONDS }));
      renewAt = seconds + RENEW_SECONDS;
    }
    return await token;
  };
}
