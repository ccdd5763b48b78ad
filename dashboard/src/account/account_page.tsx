import { useState } from 'preact/hooks';
import { PageHead } from '../components/page_head.tsx';
import { Problem } from '../components/problem.tsx';
import { useQuery } from '../components/use_query.ts';
import { useMember } from '../session/session.tsx';
import { useRpc } from '../session/use_rpc.ts';
import { AuthenticatorCard, readFactors } from './authenticator_card.tsx';
import { DeleteAccountDialog } from './delete_account_dialog.tsx';
import { PasswordCard } from './password_card.tsx';
import { SessionsCard } from './sessions_card.tsx';
import type { Account, SessionRow } from './types.ts';
import './team.css';

/** Answers: how do I sign in, where am I signed in, and how do I leave? */
export function AccountPage() {
  const { client, email, userId } = useMember();
  const { call } = useRpc();
  // One query for all cards, so that the page renders once.
  const { value, error, refetch } = useQuery(
    async () => {
      const reading = call<Account>('read_account');
      const [account, sessions, factors] = await Promise.all([
        reading,
        call<SessionRow[]>('list_sessions'),
        reading.then(({ has_factors }) => (has_factors ? readFactors(client) : [])),
      ]);
      return { account, sessions, factors };
    },
    [userId],
    60_000,
  );
  const [deleting, setDeleting] = useState(false);
  return (
    <>
      <PageHead title="Your account">You are signed in as {email}.</PageHead>
      {error && !value && (
        <div class="card">
          <Problem error={error} onRetry={() => void refetch()} />
        </div>
      )}
      {value && (
        <div class="stack">
          <PasswordCard hasPassword={value.account.has_password} onDone={() => void refetch()} />
          {value.account.has_factors && <AuthenticatorCard factors={value.factors} refetch={refetch} />}
          <SessionsCard sessions={value.sessions} refetch={refetch} />
          <section class="card" aria-labelledby="delete">
            <div class="card-head">
              <h2 id="delete">Delete your account</h2>
            </div>
            <div class="card-body">
              <p class="muted">
                Organizations of which you are the only member are deleted with it, and their keys stop working.
              </p>
              <div class="buttons">
                <button type="button" class="button danger" onClick={() => setDeleting(true)}>
                  Delete account…
                </button>
              </div>
            </div>
          </section>
        </div>
      )}
      {value && deleting && <DeleteAccountDialog account={value.account} onClose={() => setDeleting(false)} />}
    </>
  );
}
