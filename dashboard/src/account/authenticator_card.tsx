import type { AuthMFAEnrollTOTPResponse } from '@supabase/supabase-js';
import { useState } from 'preact/hooks';
import { Ago } from '../components/ago.tsx';
import { Dialog } from '../components/dialog.tsx';
import { showToast } from '../components/toast.tsx';
import { signInErrorText } from '../session/auth_errors.ts';
import type { Client } from '../session/client.ts';
import { useMember } from '../session/session.tsx';
import { useTask } from '../session/use_task.ts';
import { EnrollDialog } from './enroll_dialog.tsx';

type Enrolled = NonNullable<AuthMFAEnrollTOTPResponse['data']>;
type Factor = { id: string; friendly_name?: string | undefined; created_at: string };

/** Authenticator apps: a sign-in then asks for a code. Nothing where Auth has them turned off. */
export function AuthenticatorCard({ factors, refetch }: { factors: readonly Factor[]; refetch(): Promise<void> }) {
  const { client } = useMember();
  const [enrolled, setEnrolled] = useState<Enrolled>();
  const [removing, setRemoving] = useState<Factor>();
  const [isOff, setIsOff] = useState(false);
  const { busy, errorText, run } = useTask();
  const start = async () => {
    const { data, error } = await enroll(client, factors);
    if (error?.code === 'mfa_totp_enroll_not_enabled') {
      setIsOff(true);
      showToast(signInErrorText(error), true);
    } else if (error) throw new Error(signInErrorText(error));
    else setEnrolled(data);
  };
  if (isOff) return null;
  return (
    <section class="card" aria-labelledby="two-step">
      <div class="card-head">
        <h2 id="two-step">Two-step sign-in</h2>
        <button type="button" class="button" disabled={busy} onClick={() => void run(start)}>
          Add authenticator app
        </button>
      </div>
      {factors.length > 0 && (
        <ul class="people">
          {factors.map((one) => (
            <li key={one.id} class="person">
              <div class="who">
                <strong>{one.friendly_name ?? 'Authenticator app'}</strong>
                <p class="muted small">
                  Added <Ago at={one.created_at} />
                </p>
              </div>
              <button type="button" class="button danger" onClick={() => setRemoving(one)}>
                Remove
              </button>
            </li>
          ))}
        </ul>
      )}
      <div class="card-body">
        <p class="muted small">
          {factors.length > 0
            ? 'Each sign-in, and the creation of keys, needs a code of one of these apps. Add a second app as a spare.'
            : 'With an authenticator app, a password alone opens nothing: each sign-in also needs a code of the app.'}
        </p>
        <p role="alert" class="problem">
          {errorText}
        </p>
      </div>
      {enrolled && (
        <EnrollDialog
          client={client}
          enrolled={enrolled}
          onClose={() => {
            setEnrolled(undefined);
            void refetch();
          }}
        />
      )}
      {removing && (
        <RemoveFactorDialog
          client={client}
          factor={removing}
          onClose={() => {
            setRemoving(undefined);
            void refetch();
          }}
        />
      )}
    </section>
  );
}

export async function readFactors(client: Client): Promise<Factor[]> {
  const { data, error } = await client.auth.mfa.listFactors();
  if (error) throw new Error(signInErrorText(error));
  return data.totp;
}

/** Begins with a new app. Removes what an earlier attempt left, because Auth allows few. */
async function enroll(client: Client, factors: readonly Factor[]) {
  const { mfa } = client.auth;
  const { data } = await mfa.listFactors();
  for (const one of data?.all ?? []) if (one.status === 'unverified') await mfa.unenroll({ factorId: one.id });
  const taken = new Set(factors.map((one) => one.friendly_name));
  let number = 1;
  while (taken.has(appName(number))) number++;
  return await mfa.enroll({ factorType: 'totp', friendlyName: appName(number), issuer: 'Parallax' });
}

const appName = (number: number): string => `Authenticator app ${number}`;

function RemoveFactorDialog({ client, factor, onClose }: { client: Client; factor: Factor; onClose(): void }) {
  const { busy, errorText, run } = useTask();
  const remove = async () => {
    const { error } = await client.auth.mfa.unenroll({ factorId: factor.id });
    if (error) throw new Error(signInErrorText(error));
    // The token must not claim a factor that is gone.
    await client.auth.refreshSession();
    showToast('The authenticator app is removed.');
    onClose();
  };
  return (
    <Dialog
      title={`Remove ${factor.friendly_name ?? 'this app'}?`}
      onClose={onClose}
      onSubmit={() => void run(remove)}
      foot={
        <>
          <button type="button" class="button" onClick={onClose}>
            Cancel
          </button>
          <button type="submit" class="button danger" disabled={busy}>
            Remove app
          </button>
        </>
      }
    >
      <p>Without another app, a password alone signs you in again.</p>
      <p role="alert" class="problem">
        {errorText}
      </p>
    </Dialog>
  );
}
