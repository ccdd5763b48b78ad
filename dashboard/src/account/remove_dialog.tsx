import { Dialog } from '../components/dialog.tsx';
import { showToast } from '../components/toast.tsx';
import { useMember, useSession } from '../session/session.tsx';
import { useMutation } from '../session/use_mutation.ts';
import { useRpc } from '../session/use_rpc.ts';
import type { Member } from './types.ts';

type RemoveProps = { member: Member; me: boolean; onClose(): void; onDone(): void };

/** Removes a member, or leaves. */
export function RemoveDialog({ member, me, onClose, onDone }: RemoveProps) {
  const { organization } = useMember();
  const { refresh } = useSession();
  const { call } = useRpc();
  const { busy, errorText, run } = useMutation();
  const remove = async () => {
    await call('remove_member', { p_org_id: organization.org_id, p_user: member.user_id });
    onDone();
    showToast(me ? `You have left ${organization.name}.` : `${member.email} is no member any more.`);
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
        {me ? 'You see nothing of it from then on.' : 'They see nothing of this organization from their next click on.'}{' '}
        Keys go on working: revoke those that {me ? 'you have' : 'they had'}.
      </p>
      <p role="alert" class="problem">
        {errorText}
      </p>
    </Dialog>
  );
}
