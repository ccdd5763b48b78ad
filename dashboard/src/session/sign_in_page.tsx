import { useEffect, useState } from 'preact/hooks';
import { HOME_PATH } from '../addresses.ts';
import { Icon } from '../components/icon.tsx';
import { PageHead } from '../components/page_head.tsx';
import { useQuery } from '../components/use_query.ts';
import { go, useAddress } from '../router.ts';
import { signInErrorText } from './auth_errors.ts';
import type { Providers } from './auth_methods.ts';
import { getClient } from './client.ts';
import { EmailField } from './email_field.tsx';
import { PasswordField } from './password_field.tsx';
import { readProviders } from './providers.ts';
import { returnUrlOf } from './return_url.ts';
import { useSession } from './session.tsx';
import './sign_in.css';

const reasons: Record<string, string> = {
  expired: 'Your session has expired. Sign in to continue where you were.',
  left: 'You are signed out.',
  deleted: 'Your account is deleted.',
};

type Mode = 'in' | 'up';

/** Answers: how do I sign in? */
export function SignInPage() {
  const { query } = useAddress();
  const { state } = useSession();
  const [mode, setMode] = useState<Mode>(query.has('new') ? 'up' : 'in');
  const { value: providers, error, refetch } = useQuery(readProviders, []);
  const next = returnUrlOf(query, HOME_PATH);

  useEffect(() => {
    if (state.name === 'in') go(next, true);
  }, [state.name, next]);

  const reason = reasons[query.get('why') ?? ''];
  const title = mode === 'in' ? 'Sign in' : 'Create an account';
  return (
    <div class="sign-in">
      <Pitch />
      <div class="stack tight">
        <PageHead title={title} />
        {reason && (
          <p class="note" role="status">
            {reason}
          </p>
        )}
        <section class="card" aria-label={title}>
          <div class="card-body">
            {providers?.signUp !== false && <ModeChoice mode={mode} onChoose={setMode} />}
            <PasswordForm mode={mode} key={mode} />
            {providers && <OtherMethods providers={providers} next={next} />}
            {error && (
              <p class="problem" role="alert">
                The sign-in methods could not be loaded.{' '}
                <button type="button" class="button little" onClick={() => void refetch()}>
                  Try again
                </button>
              </p>
            )}
          </div>
        </section>
        <p class="muted small">
          The <a href="/track-record">track record</a>, the <a href="/status">status</a> and the{' '}
          <a href="/docs/">API documentation</a> need no account.
        </p>
      </div>
    </div>
  );
}

function ModeChoice({ mode, onChoose }: { mode: Mode; onChoose(mode: Mode): void }) {
  return (
    <fieldset class="segments">
      <legend class="visually-hidden">Do you have an account?</legend>
      <button type="button" aria-pressed={mode === 'in'} onClick={() => onChoose('in')}>
        Sign in
      </button>
      <button type="button" aria-pressed={mode === 'up'} onClick={() => onChoose('up')}>
        New account
      </button>
    </fieldset>
  );
}

/** What the service offers. */
function Pitch() {
  return (
    <section class="pitch" aria-label="What Parallax is">
      <svg viewBox="0 0 32 32" aria-hidden="true">
        <path d="M4 26 16 6l4 7-8 13z" fill="var(--venue-a)" />
        <path d="M28 26 20 13l-4 7 4 6z" fill="var(--venue-b)" />
      </svg>
      <h2>Two prediction markets in one catalog</h2>
      <ul>
        <li>
          <Icon name="markets" />
          The same question on both venues: matched, priced, with the differences in settlement.
        </li>
        <li>
          <Icon name="opportunities" />
          Arbitrage after fees, at the size that both order books offer.
        </li>
        <li>
          <Icon name="keys" />
          One key for REST, stream, webhooks and MCP.
        </li>
      </ul>
    </section>
  );
}

function PasswordForm({ mode }: { mode: Mode }) {
  const [email, setEmail] = useState('');
  const [password, setPassword] = useState('');
  const [message, setMessage] = useState<{ text: string; isError: boolean }>();
  const [busy, setBusy] = useState(false);

  const submit = async () => {
    setBusy(true);
    setMessage(undefined);
    try {
      const { auth } = await getClient();
      const { data, error } =
        mode === 'in'
          ? await auth.signInWithPassword({ email, password })
          : await auth.signUp({ email, password, options: { emailRedirectTo: location.origin } });
      if (error) setMessage({ text: signInErrorText(error), isError: true });
      else if (!data.session) {
        setMessage({ text: `We sent a link to ${email}. Open it to confirm your account.`, isError: false });
      }
    } catch (error) {
      setMessage({ text: (error as Error).message, isError: true });
    }
    setBusy(false);
  };
  return (
    <form
      class="stack tight"
      onSubmit={(event) => {
        event.preventDefault();
        void submit();
      }}
    >
      <EmailField value={email} onInput={setEmail} />
      <PasswordField label="Password" isNew={mode === 'up'} value={password} onInput={setPassword} />
      {mode === 'in' && (
        <a class="small" href="/reset-password">
          Forgot password?
        </a>
      )}
      <div role="alert">{message && <p class={message.isError ? 'problem' : ''}>{message.text}</p>}</div>
      <button type="submit" class="button first" disabled={busy}>
        {mode === 'in' ? 'Sign in' : 'Create account'}
      </button>
    </form>
  );
}

function OtherMethods({ providers, next }: { providers: Providers; next: string }) {
  const [message, setMessage] = useState('');
  if (!providers.link && !providers.github) return null;
  const back = new URL(next, location.origin).href;

  const sendLink = async (email: string) => {
    const { auth } = await getClient();
    const { error } = await auth.signInWithOtp({ email, options: { emailRedirectTo: back } });
    setMessage(error ? signInErrorText(error) : `We sent a link to ${email}. Open it on this device.`);
  };
  const withGithub = async () => {
    const { auth } = await getClient();
    const { error } = await auth.signInWithOAuth({ provider: 'github', options: { redirectTo: back } });
    if (error) setMessage(signInErrorText(error));
  };
  return (
    <div class="stack tight others">
      {providers.github && (
        <button type="button" class="button" onClick={() => void withGithub()}>
          Continue with GitHub
        </button>
      )}
      {providers.link && (
        <form
          class="link-form"
          onSubmit={(event) => {
            event.preventDefault();
            void sendLink(String(new FormData(event.currentTarget).get('address') ?? ''));
          }}
        >
          <input
            class="input"
            type="email"
            name="address"
            required
            aria-label="E-mail for a sign-in link"
            placeholder="E-mail"
          />
          <button type="submit" class="button">
            Send sign-in link
          </button>
        </form>
      )}
      <p role="status">{message}</p>
    </div>
  );
}
