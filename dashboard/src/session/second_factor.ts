import { signInErrorText } from './auth_errors.ts';
import type { Client } from './client.ts';

/** Whether the user of this client has an authenticator app that is set up. */
export async function hasAuthenticator(client: Client): Promise<boolean> {
  const { data } = await client.auth.mfa.listFactors();
  return (data?.totp.length ?? 0) > 0;
}

/** Adds the second factor to the session of a client. Throws an Error with a sentence. */
export async function giveCode(client: Client, code: string): Promise<void> {
  const { data, error } = await client.auth.mfa.listFactors();
  if (error) throw new Error(signInErrorText(error));
  if (data.totp.length === 0) throw new Error('Your account has no authenticator app. Contact the operator.');
  // With several apps, the user may have any of them at hand.
  let failed = '';
  for (const factor of data.totp) {
    const { error: problem } = await client.auth.mfa.challengeAndVerify({ factorId: factor.id, code });
    if (!problem) return;
    failed = signInErrorText(problem);
  }
  throw new Error(failed);
}
