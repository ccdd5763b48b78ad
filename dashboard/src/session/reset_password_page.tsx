import { useState } from 'preact/hooks';
import { HOME_PATH } from '../addresses.ts';
import { PageHead } from '../components/page_head.tsx';
import { showToast } from '../components/toast.tsx';
import { go } from '../router.ts';
import { signInErrorText } from './auth_errors.ts';
import { type Client, endRecovery, getClient, isRecovering } from './client.ts';
import { CodeField } from './code_field.tsx';
import { EmailField } from './email_field.tsx';
import { PasswordField } from './password_field.tsx';
import { recoveryErrorText } from './recovery.ts';
import { giveCode } from './second_factor.ts';
import { useSession } from './session.tsx';
import { useTask } from './use_task.ts';
import './sign_in.css';

/** The error with which Auth opened this page: a link that was used or has expired. */
const linkError = new URLSearchParams(location.hash.slice(1));

/** Answers: how do I get back in without my password? */
export function ResetPasswordPage() {
  const { state } = useSession();
  const user = state.name === 'in' || state.name === 'code' ? state : undefined;
  const recovering = user !== undefined && isRecovering(user.userId);
  const expired = linkError.has('error_code')
    ? signInErrorText({ code: linkError.get('error_code') ?? '', status: 403, message: 'This link does not work.' })
    : '';
  return (
    <div class="one-form stack tight">
      <PageHead title={recovering ? 'Set a new password' : 'Reset your password'} />
      {expired && !recovering && (
        <p class="note" role="status">
          {expired}
        </p>
      )}
      <section class="card" aria-label="Password">
        <div class="card-body">
          {recovering ? (
            <NewPasswordForm client={user.client} email={user.email} needsCode={state.name === 'code'} />
          ) : (
            <RequestForm />
          )}
        </div>
      </section>
      <p class="muted small">
        {user ? <a href="/account">Back to your account</a> : <a href="/sign-in">Back to sign-in</a>}
      </p>
    </div>
  );
}

/** Asks for a link. The answer is the same for an address without an account. */
function RequestForm() {
  const [email, setEmail] = useState('');
  const [sentTo, setSentTo] = useState('');
  const { busy, errorText, run } = useTask();
  const request = async () => {
    setSentTo('');
    const { auth } = await getClient();
    const { error } = await auth.resetPasswordForEmail(email, {
      redirectTo: new URL('/reset-password', location.origin).href,
    });
    const problem = error && recoveryErrorText(error);
    if (problem) throw new Error(problem);
    setSentTo(email);
  };
  return (
    <form
      class="stack tight"
      onSubmit={(event) => {
        event.preventDefault();
        void run(request);
      }}
    >
      <p>Enter the e-mail address of your account. You get a link that opens this page again.</p>
      <EmailField value={email} onInput={setEmail} />
      <p role="status">
        {sentTo && `If ${sentTo} has an account, a link is on its way. It works once, for one hour at most.`}
      </p>
      <p role="alert" class="problem">
        {errorText}
      </p>
      <button type="submit" class="button first" disabled={busy}>
        Send link
      </button>
    </form>
  );
}

type NewPasswordProps = { client: Client; email: string; needsCode: boolean };

/** Sets the password of the user whom a recovery link has signed in. */
function NewPasswordForm({ client, email, needsCode }: NewPasswordProps) {
  const [password, setPassword] = useState('');
  const [code, setCode] = useState('');
  const { busy, errorText, run } = useTask();
  const save = async () => {
    if (needsCode) await giveCode(client, code);
    const { error } = await client.auth.updateUser({ password });
    if (error) throw new Error(signInErrorText(error));
    endRecovery();
    // Someone who knew the old password may still have a session.
    await client.auth.signOut({ scope: 'others' });
    showToast('Your new password is set. All other sessions have ended.');
    go(HOME_PATH, true);
  };
  return (
    <form
      class="stack tight"
      onSubmit={(event) => {
        event.preventDefault();
        void run(save);
      }}
    >
      <p>
        For <strong>{email}</strong>. Your sessions on other devices end.
      </p>
      <input type="hidden" name="email" autocomplete="username" value={email} />
      <PasswordField label="New password" isNew value={password} onInput={setPassword} />
      {needsCode && <CodeField value={code} onInput={setCode} />}
      <p role="alert" class="problem">
        {errorText}
      </p>
      <button type="submit" class="button first" disabled={busy}>
        Set password
      </button>
    </form>
  );
}
