import { useState } from 'preact/hooks';
import { Dialog } from '../components/dialog.tsx';
import { count } from '../components/format.ts';
import { TypedConfirmation } from '../components/typed_confirmation.tsx';
import { signInErrorText } from '../session/auth_errors.ts';
import { type Client, createSeparateClient } from '../session/client.ts';
import { CodeField } from '../session/code_field.tsx';
import { PasswordField } from '../session/password_field.tsx';
import { callRpc } from '../session/rpc.ts';
import { giveCode, hasAuthenticator } from '../session/second_factor.ts';
import { useMember, useSession } from '../session/session.tsx';
import { useTask } from '../session/use_task.ts';
import type { Account } from './types.ts';

/** Deletes the account after a fresh sign-in, which the database demands, and a typed address. */
export function DeleteAccountDialog({ account, onClose }: { account: Account; onClose(): void }) {
  const { client, email } = useMember();
  const { onDeleted } = useSession();
  const [typed, setTyped] = useState('');
  const [password, setPassword] = useState('');
  const [code, setCode] = useState('');
  const [asksCode, setAsksCode] = useState(false);
  const { busy, errorText, run } = useTask();
  const names = (outcome: string) => account.organizations.filter((one) => one.outcome === outcome);
  const blocked = names('blocks');
  const remove = async () => {
    if (account.has_password && !asksCode && (await hasAuthenticator(client))) return setAsksCode(true);
    const fresh = account.has_password ? await signInAgain(email, password, code) : client;
    await callRpc(fresh, 'delete_account', { p_email: typed });
    onDeleted();
  };
  return (
    <Dialog
      title="Delete your account?"
      onClose={onClose}
      onSubmit={() => void run(remove)}
      foot={
        <>
          <button type="button" class="button" onClick={onClose}>
            Cancel
          </button>
          {blocked.length === 0 && (
            <button type="submit" class="button danger" disabled={busy || typed.trim() !== email}>
              Delete permanently
            </button>
          )}
        </>
      }
    >
      {blocked.length > 0 ? (
        <>
          <p>You are the last owner of organizations with other members:</p>
          <Organizations of={blocked} />
          <p>Make another member an owner on the page Team, or delete the organization, first.</p>
        </>
      ) : (
        <>
          <Consequences deleted={names('deletes')} left={names('leaves')} />
          <TypedConfirmation expected={email} value={typed} onInput={setTyped} />
          {account.has_password ? (
            <PasswordField label="Password" value={password} onInput={setPassword} />
          ) : (
            <p class="muted">You must have signed in within the last 10 minutes.</p>
          )}
          {asksCode && <CodeField value={code} onInput={setCode} />}
        </>
      )}
      <p role="alert" class="problem">
        {errorText}
      </p>
    </Dialog>
  );
}

function Consequences({ deleted, left }: { deleted: Account['organizations']; left: Account['organizations'] }) {
  return (
    <>
      <p>All your sessions end immediately. This cannot be undone.</p>
      {deleted.length > 0 && (
        <>
          <p>These organizations are deleted, and requests with their keys fail with 401:</p>
          <Organizations of={deleted} />
        </>
      )}
      {left.length > 0 && (
        <>
          <p>You leave these organizations. Keys that you know keep working there:</p>
          <Organizations of={left} />
        </>
      )}
    </>
  );
}

function Organizations({ of }: { of: Account['organizations'] }) {
  return (
    <ul class="names">
      {of.map((one) => (
        <li key={one.org_id}>
          <strong>{one.name}</strong>, {count(one.members)} {one.members === 1 ? 'member' : 'members'},{' '}
          {count(one.keys)} active {one.keys === 1 ? 'key' : 'keys'}
        </li>
      ))}
    </ul>
  );
}

/** A client with a new session. Throws an Error with a sentence. */
async function signInAgain(email: string, password: string, code: string): Promise<Client> {
  const fresh = await createSeparateClient();
  const { error } = await fresh.auth.signInWithPassword({ email, password });
  if (error?.code === 'invalid_credentials') throw new Error('The password is wrong.');
  if (error) throw new Error(signInErrorText(error));
  if (code) await giveCode(fresh, code);
  return fresh;
}
