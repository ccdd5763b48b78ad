import { useState } from 'preact/hooks';
import { Ago } from '../components/ago.tsx';
import { CopyableText } from '../components/copyable_text.tsx';
import { Dialog } from '../components/dialog.tsx';
import { day } from '../components/format.ts';
import { PageHead } from '../components/page_head.tsx';
import { Problem } from '../components/problem.tsx';
import { showToast } from '../components/toast.tsx';
import { useQuery } from '../components/use_query.ts';
import { useAddress } from '../router.ts';
import type { Role } from '../session/organizations.ts';
import { useMember } from '../session/session.tsx';
import { useMutation } from '../session/use_mutation.ts';
import { useRpc } from '../session/use_rpc.ts';
import { Invitations } from './invitations.tsx';
import { JoinForm } from './join_form.tsx';
import { RemoveDialog } from './remove_dialog.tsx';
import type { Invitation, Member } from './types.ts';
import './team.css';

type Open = { name: 'invite' } | { name: 'remove'; member: Member } | { name: 'code'; code: string; until: string };

/** Answers: who has access to this organization? */
export function TeamPage() {
  const { organization, userId } = useMember();
  const { query } = useAddress();
  const { call, rows } = useRpc();
  const org = organization.org_id;
  const owner = organization.role === 'owner';
  // One query for both lists, so that the page renders once.
  const { value, error, refetch } = useQuery(
    async () => {
      const [members, invitations] = await Promise.all([
        call<Member[]>('list_members', { p_org_id: org }),
        owner ? rows<Invitation>('my_invitations', { org, newestBy: ['created_at', 'invitation_id'] }) : [],
      ]);
      return { members, invitations };
    },
    [org, owner],
    30_000,
  );
  const [open, setOpen] = useState<Open>();
  const { errorText, run } = useMutation();
  const close = () => setOpen(undefined);

  const setRole = (member: Member, role: Role) =>
    run(async () => {
      await call('set_member_role', { p_org_id: org, p_user: member.user_id, p_role: role });
      await refetch();
      showToast(`${member.email} is now ${role === 'owner' ? 'an owner' : 'a member'}.`);
    });

  return (
    <>
      <PageHead
        title="Team"
        actions={
          owner && (
            <button type="button" class="button first" onClick={() => setOpen({ name: 'invite' })}>
              Invite member
            </button>
          )
        }
      >
        Who has access to {organization.name}. Members see keys and usage; owners manage them.
      </PageHead>
      <div class="stack">
        {errorText && (
          <p class="problem" role="alert">
            {errorText}
          </p>
        )}
        <section class="card" aria-label="Members">
          {error && !value ? (
            <Problem error={error} onRetry={() => void refetch()} />
          ) : (
            <ul class="people">
              {(value?.members ?? []).map((member) => (
                <Person
                  key={member.user_id}
                  member={member}
                  me={member.user_id === userId}
                  owner={owner}
                  onRole={(role) => void setRole(member, role)}
                  onRemove={() => setOpen({ name: 'remove', member })}
                />
              ))}
            </ul>
          )}
        </section>
        {value && <Invitations open={value.invitations} refetch={refetch} />}
        {(value || error) && <JoinForm ready={query.has('join')} />}
      </div>
      {open?.name === 'invite' && (
        <InviteDialog
          org={org}
          onClose={close}
          onDone={(code, until) => {
            setOpen({ name: 'code', code, until });
            void refetch();
          }}
        />
      )}
      {open?.name === 'code' && <CodeDialog {...open} onClose={close} />}
      {open?.name === 'remove' && (
        <RemoveDialog
          member={open.member}
          me={open.member.user_id === userId}
          onClose={close}
          onDone={() => {
            close();
            void refetch();
          }}
        />
      )}
    </>
  );
}

type PersonProps = { member: Member; me: boolean; owner: boolean; onRole(role: Role): void; onRemove(): void };

function Person({ member, me, owner, onRole, onRemove }: PersonProps) {
  return (
    <li class="person">
      <span class="avatar" aria-hidden="true" data-letter={member.email.slice(0, 1).toUpperCase()} />
      <div class="who">
        <strong>{member.email}</strong>
        {me && <span class="chip">you</span>}
        <p class="muted small">
          Joined <Ago at={member.since} />
        </p>
      </div>
      <div class="buttons">
        {owner ? (
          <select
            class="input role"
            aria-label={`Role of ${member.email}`}
            value={member.role}
            onChange={(event) => {
              const role = event.currentTarget.value as Role;
              // The select keeps the stored role until the database has changed it.
              event.currentTarget.value = member.role;
              onRole(role);
            }}
          >
            <option value="owner">Owner</option>
            <option value="member">Member</option>
          </select>
        ) : (
          <span class="chip">{member.role}</span>
        )}
        {(owner || me) && (
          <button
            type="button"
            class="button danger"
            aria-label={me ? 'Leave' : `Remove ${member.email}`}
            onClick={onRemove}
          >
            {me ? 'Leave' : 'Remove'}
          </button>
        )}
      </div>
    </li>
  );
}

type Invited = { code: string; expires_at: string };
type InviteProps = { org: string; onClose(): void; onDone(code: string, until: string): void };

function InviteDialog({ org, onClose, onDone }: InviteProps) {
  const { call } = useRpc();
  const { busy, errorText, run } = useMutation();
  const [role, setRole] = useState<Role>('member');
  return (
    <Dialog
      title="Invite member"
      onClose={onClose}
      onSubmit={() =>
        void run(async () => {
          const { code, expires_at } = await call<Invited>('invite_member', { p_org_id: org, p_role: role });
          onDone(code, expires_at);
        })
      }
      foot={
        <>
          <button type="button" class="button" onClick={onClose}>
            Cancel
          </button>
          <button type="submit" class="button first" disabled={busy}>
            Create code
          </button>
        </>
      }
    >
      <p>The code admits one person within seven days. Send it over a channel that you trust.</p>
      <fieldset class="roles">
        <legend>Role</legend>
        {(['member', 'owner'] as const).map((one) => (
          <label key={one}>
            <input type="radio" name="role" checked={role === one} onChange={() => setRole(one)} />
            {one === 'member' ? 'Member: sees keys and usage' : 'Owner: manages everything, including you'}
          </label>
        ))}
      </fieldset>
      <p role="alert" class="problem">
        {errorText}
      </p>
    </Dialog>
  );
}

function CodeDialog({ code, until, onClose }: { code: string; until: string; onClose(): void }) {
  return (
    <Dialog
      title="Invitation code"
      firm
      onClose={onClose}
      foot={
        <button type="button" class="button first" onClick={onClose}>
          I have copied it
        </button>
      }
    >
      <p>You will not see it again. It works for one person, until {day(until)}.</p>
      <CopyableText text={code} label="the code" whole first />
      <p class="muted">The new member signs in, opens Team and enters it under “Join another organization”.</p>
    </Dialog>
  );
}
