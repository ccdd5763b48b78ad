import { useState } from 'preact/hooks';
import { showToast } from '../components/toast.tsx';
import { signInErrorText } from '../session/auth_errors.ts';
import { createSeparateClient } from '../session/client.ts';
import { PasswordField } from '../session/password_field.tsx';
import { useMember } from '../session/session.tsx';
import { useTask } from '../session/use_task.ts';

type PasswordCardProps = { hasPassword: boolean; onDone(): void };

/** Changes the password, or sets the first one of a user who signs in by another way. */
export function PasswordCard({ hasPassword, onDone }: PasswordCardProps) {
  const { client, email } = useMember();
  const [current, setCurrent] = useState('');
  const [password, setPassword] = useState('');
  const { busy, errorText, run } = useTask();
  const save = async () => {
    if (hasPassword) await checkPassword(email, current);
    // Auth itself may ask for the current password, too.
    const { error } = await client.auth.updateUser({
      password,
      ...(hasPassword ? { current_password: current } : {}),
    });
    if (error) throw new Error(signInErrorText(error));
    // Supabase Auth has ended the other sessions with the change; this ends them everywhere.
    await client.auth.signOut({ scope: 'others' });
    setCurrent('');
    setPassword('');
    showToast(`Your password is ${hasPassword ? 'changed' : 'set'}. Your other sessions have ended.`);
    onDone();
  };
  return (
    <section class="card" aria-labelledby="password">
      <div class="card-head">
        <h2 id="password">Password</h2>
      </div>
      <form
        class="card-body narrow-form"
        onSubmit={(event) => {
          event.preventDefault();
          void run(save);
        }}
      >
        <input type="hidden" name="email" autocomplete="username" value={email} />
        {hasPassword ? (
          <PasswordField label="Current password" value={current} onInput={setCurrent} />
        ) : (
          <p class="muted">You have no password: you sign in with a link or with another service.</p>
        )}
        <PasswordField label="New password" isNew value={password} onInput={setPassword} />
        <p role="alert" class="problem">
          {errorText}
        </p>
        <div class="buttons">
          <button type="submit" class="button" disabled={busy}>
            {hasPassword ? 'Change password' : 'Set password'}
          </button>
        </div>
        <p class="muted small">Your sessions on other devices end. Keys keep working.</p>
      </form>
    </section>
  );
}

/**
 * Throws an Error with a sentence when this is not the current password. Auth has no other way to
 * ask than a sign-in, so the session that it opens is ended at once.
 */
async function checkPassword(email: string, password: string): Promise<void> {
  const { auth } = await createSeparateClient();
  const { error } = await auth.signInWithPassword({ email, password });
  if (error?.code === 'invalid_credentials') throw new Error('The current password is wrong.');
  if (error) throw new Error(signInErrorText(error));
  await auth.signOut({ scope: 'local' });
}
