import { Ago } from '../components/ago.tsx';
import { showToast } from '../components/toast.tsx';
import { useSession } from '../session/session.tsx';
import { useMutation } from '../session/use_mutation.ts';
import { useRpc } from '../session/use_rpc.ts';
import type { SessionRow } from './types.ts';
import { browserName } from './user_agent.ts';

type SessionsProps = { sessions: readonly SessionRow[]; refetch(): Promise<void> };

/** Where the user is signed in. Each other session can be ended, and all at once. */
export function SessionsCard({ sessions, refetch }: SessionsProps) {
  const { signOut } = useSession();
  const { call } = useRpc();
  const { busy, errorText, run } = useMutation();
  const end = (one: SessionRow) =>
    run(async () => {
      await call('end_session', { p_session: one.session_id });
      await refetch();
      showToast('That session has ended.');
    });
  return (
    <section class="card" aria-labelledby="sessions">
      <div class="card-head">
        <h2 id="sessions">Sessions</h2>
        <button type="button" class="button" disabled={busy} onClick={() => void signOut(true)}>
          Sign out everywhere
        </button>
      </div>
      <ul class="people">
        {sessions.map((one) => (
          <li key={one.session_id} class="person">
            <div class="who">
              <strong>{browserName(one.user_agent)}</strong>
              {one.is_current && <span class="chip">this session</span>}
              <p class="muted small">
                {one.ip && <>{one.ip} · </>}
                Signed in <Ago at={one.created_at} />
                {one.last_used_at !== one.created_at && (
                  <>
                    {' '}
                    · last renewed <Ago at={one.last_used_at} />
                  </>
                )}
              </p>
            </div>
            {!one.is_current && (
              <button type="button" class="button" disabled={busy} onClick={() => void end(one)}>
                End session
              </button>
            )}
          </li>
        ))}
      </ul>
      <div class="card-body">
        <p role="alert" class="problem">
          {errorText}
        </p>
        <p class="muted small">
          A session that has ended can change nothing and create no key. API keys keep working: revoke them on the page{' '}
          <a href="/keys">Keys</a>.
        </p>
      </div>
    </section>
  );
}
