import { Dialog } from '../components/dialog.tsx';
import { showToast } from '../components/toast.tsx';
import { useMember, useSession } from '../session/session.tsx';
import { useMutation } from '../session/use_mutation.ts';
import { useRpc } from '../session/use_rpc.ts';
import type { Member } from './types.ts';

type RemoveProps = { member: Member; me: boolean; onClose(): void; onDone(): void };

/** Removes a member, or the current user from the organization. */
export function RemoveDialog({ member, me, onClose, onDone }: RemoveProps) {
  const { organization } = useMember();
  const { refresh } = useSession();
  const { call } = useRpc();
  const { busy, errorText, run } = useMutation();
  const remove = async () => {
    await call('remove_member', { p_org_id: organization.org_id, p_user: member.user_id });
    onDone();
    showToast(me ? `You left ${organization.name}.` : `Removed ${member.email}.`);
    if (me) await refresh();
  };
  return (
    <Dialog
      title={me ? `Leave ${organization.name}?` : `Remove ${member.email}?`}
      onClose={onClose}
      onSubmit={() => void run(remove)}
      foot={
        <>
          <button type="button" class="button" onClick={onClose}>
            Cancel
          </button>
          <button type="submit" class="button danger" disabled={busy}>
            {me ? 'Leave' : 'Remove'}
          </button>
        </>
      }
    >
      <p>
        {me ? 'You lose access to this organization.' : 'They lose access to this organization immediately.'} Keys keep
        working: revoke the keys that {me ? 'you have' : 'they know'}.
      </p>
      <p role="alert" class="problem">
        {errorText}
      </p>
    </Dialog>
  );
}
