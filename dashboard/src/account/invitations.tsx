import { Ago } from '../components/ago.tsx';
import { showToast } from '../components/toast.tsx';
import { useMutation } from '../session/use_mutation.ts';
import { useRpc } from '../session/use_rpc.ts';
import type { Invitation } from './types.ts';

/** Unused invitation codes. An owner can withdraw one. */
export function Invitations({ open, refetch }: { open: Invitation[]; refetch(): Promise<void> }) {
  const { call } = useRpc();
  const { busy, errorText, run } = useMutation();
  if (open.length === 0) return null;
  return (
    <section class="card" aria-labelledby="invited">
      <div class="card-head">
        <h2 id="invited">Open invitations</h2>
      </div>
      <ul class="people">
        {open.map((one) => (
          <li key={one.invitation_id} class="person">
            <div class="who">
              <strong>Role: {one.role}</strong>
              <p class="muted small">
                Created <Ago at={one.created_at} />, expires <Ago at={one.expires_at} />
              </p>
            </div>
            <button
              type="button"
              class="button"
              disabled={busy}
              onClick={() =>
                void run(async () => {
                  await call('withdraw_invitation', { p_invitation: one.invitation_id });
                  await refetch();
                  showToast('Invitation withdrawn. Its code no longer works.');
                })
              }
            >
              Withdraw
            </button>
          </li>
        ))}
      </ul>
      {errorText && (
        <p class="problem card-body" role="alert">
          {errorText}
        </p>
      )}
    </section>
  );
}
