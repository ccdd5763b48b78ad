import { useState } from 'preact/hooks';
import { Dialog } from '../components/dialog.tsx';
import { PageHead } from '../components/page_head.tsx';
import { showToast } from '../components/toast.tsx';
import { TypedConfirmation } from '../components/typed_confirmation.tsx';
import { useMember, useSession } from '../session/session.tsx';
import { useMutation } from '../session/use_mutation.ts';
import { useRpc } from '../session/use_rpc.ts';
import { AuditLog } from './audit_log.tsx';
import './team.css';

/** Answers: what is this organization called, and who changed what? */
export function OrganizationPage() {
  const { organization } = useMember();
  const owner = organization.role === 'owner';
  const [deleting, setDeleting] = useState(false);
  return (
    <>
      <PageHead title="Organization">Name and change log of {organization.name}.</PageHead>
      <div class="stack">
        {owner && <NameForm key={organization.org_id} />}
        <AuditLog org={organization.org_id}>
          {owner && (
            <section class="card" aria-labelledby="delete">
              <div class="card-head">
                <h2 id="delete">Delete {organization.name}</h2>
              </div>
              <div class="card-body">
                <p class="muted">
                  Its keys stop working immediately and all members lose access. This cannot be undone.
                </p>
                <div class="buttons">
                  <button type="button" class="button danger" onClick={() => setDeleting(true)}>
                    Delete organization…
                  </button>
                </div>
              </div>
            </section>
          )}
        </AuditLog>
      </div>
      {deleting && <DeleteDialog onClose={() => setDeleting(false)} />}
    </>
  );
}

function NameForm() {
  const { organization } = useMember();
  const { refresh } = useSession();
  const { call } = useRpc();
  const { busy, errorText, run } = useMutation();
  const [name, setName] = useState(organization.name);
  const rename = async () => {
    await call('rename_organization', { p_org_id: organization.org_id, p_name: name });
    await refresh();
    showToast(`Renamed to ${name.trim()}.`);
  };
  return (
    <section class="card" aria-labelledby="name">
      <div class="card-head">
        <h2 id="name">Name</h2>
        <span class="muted small mono">{organization.org_id}</span>
      </div>
      <form
        class="card-body"
        onSubmit={(event) => {
          event.preventDefault();
          void run(rename);
        }}
      >
        <div class="one-line">
          <input
            class="input"
            aria-label="Organization name"
            required
            maxLength={200}
            value={name}
            onInput={(event) => setName(event.currentTarget.value)}
          />
          <button type="submit" class="button" disabled={busy || name.trim() === organization.name}>
            Rename
          </button>
        </div>
        <p role="alert" class="problem">
          {errorText}
        </p>
      </form>
    </section>
  );
}

function DeleteDialog({ onClose }: { onClose(): void }) {
  const { organization } = useMember();
  const { refresh } = useSession();
  const { call } = useRpc();
  const { busy, errorText, run } = useMutation();
  const [typed, setTyped] = useState('');
  const same = typed.trim() === organization.name;
  const remove = async () => {
    await call('delete_organization', { p_org_id: organization.org_id });
    onClose();
    await refresh();
    showToast(`Deleted ${organization.name}.`);
  };
  return (
    <Dialog
      title={`Delete ${organization.name}?`}
      onClose={onClose}
      onSubmit={() => {
        if (same) void run(remove);
      }}
      foot={
        <>
          <button type="button" class="button" onClick={onClose}>
            Cancel
          </button>
          <button type="submit" class="button danger" disabled={busy || !same}>
            Delete permanently
          </button>
        </>
      }
    >
      <p>Requests with any of its keys fail with 401 immediately. This cannot be undone.</p>
      <TypedConfirmation expected={organization.name} value={typed} onInput={setTyped} />
      <p role="alert" class="problem">
        {errorText}
      </p>
    </Dialog>
  );
}
