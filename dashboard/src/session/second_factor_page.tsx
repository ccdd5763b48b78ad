import { useState } from 'preact/hooks';
import { PageHead } from '../components/page_head.tsx';
import { CodeField } from './code_field.tsx';
import { giveCode } from './second_factor.ts';
import { useSession } from './session.tsx';
import { useTask } from './use_task.ts';
import './sign_in.css';

/** Answers: what is missing to sign in? */
export function SecondFactorPage() {
  const { state, signOut } = useSession();
  const [code, setCode] = useState('');
  const { busy, errorText, run } = useTask();
  if (state.name !== 'code') return null;
  const { client, email } = state;
  return (
    <div class="one-form stack tight">
      <PageHead title="Enter your code">You are signed in as {email}, which has two-step sign-in.</PageHead>
      <section class="card" aria-label="Second step">
        <form
          class="card-body"
          onSubmit={(event) => {
            event.preventDefault();
            void run(async () => {
              setCode('');
              await giveCode(client, code);
            });
          }}
        >
          <CodeField value={code} onInput={setCode} focus />
          <p role="alert" class="problem">
            {errorText}
          </p>
          <div class="buttons">
            <button type="submit" class="button first" disabled={busy}>
              Continue
            </button>
            <button type="button" class="button" onClick={() => void signOut(false)}>
              Sign out
            </button>
          </div>
        </form>
      </section>
      <p class="muted small">Without the app, only the operator of this installation can let you in.</p>
    </div>
  );
}
