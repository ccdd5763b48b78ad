import { useState } from 'preact/hooks';
import { Choice } from '../components/choice.tsx';
import { Dialog } from '../components/dialog.tsx';
import { exactUtc } from '../components/format.ts';
import { useMember } from '../session/session.tsx';
import { useMutation } from '../session/use_mutation.ts';
import { useRpc } from '../session/use_rpc.ts';
import { dateRange, type ExpiryChoice, expiryChoices, expiryOf } from './key_expiry.ts';
import type { KeyScope, NewKey } from './types.ts';

type MintProps = { name: string; onClose(): void; onDone(fresh: NewKey): void };

/** Names a new key and limits it: Enter creates one that does everything and never expires. */
export function MintDialog({ name: proposed, onClose, onDone }: MintProps) {
  const { organization } = useMember();
  const { call } = useRpc();
  const { busy, errorText, run } = useMutation();
  const [name, setName] = useState(proposed);
  const [scope, setScope] = useState<KeyScope>('full');
  const [expiry, setExpiry] = useState<ExpiryChoice>('');
  const [date, setDate] = useState('');
  const expiresAt = expiryOf(expiry, date, Date.now());
  const mint = async () => {
    onDone(
      await call<NewKey>('mint_key', {
        p_org_id: organization.org_id,
        p_name: name,
        p_expires_at: expiresAt === null ? null : new Date(expiresAt).toISOString(),
        p_scope: scope,
      }),
    );
  };
  return (
    <Dialog
      title="New key"
      onClose={onClose}
      onSubmit={() => void run(mint)}
      foot={
        <>
          <button type="button" class="button" onClick={onClose}>
            Cancel
          </button>
          <button type="submit" class="button first" disabled={busy || Number.isNaN(expiresAt)}>
            Create key
          </button>
        </>
      }
    >
      <label class="field">
        <span>Name</span>
        <input
          class="input"
          name="name"
          required
          maxLength={100}
          autocomplete="off"
          autofocus
          value={name}
          onFocus={(event) => event.currentTarget.select()}
          onInput={(event) => setName(event.currentTarget.value)}
        />
      </label>
      <fieldset class="roles">
        <legend>What it may do</legend>
        <label>
          <input type="radio" name="scope" checked={scope === 'full'} onChange={() => setScope('full')} />
          Everything: read, register webhooks, send reports
        </label>
        <label>
          <input type="radio" name="scope" checked={scope === 'read_only'} onChange={() => setScope('read_only')} />
          Read only, the stream included
        </label>
      </fieldset>
      <div class="field">
        <span>Expires</span>
        <div class="one-line">
          <Choice
            label="Expires"
            all={null}
            value={expiry}
            options={expiryChoices}
            onChange={(value) => setExpiry(value as ExpiryChoice)}
          />
          {expiry === 'date' && (
            <input
              class="input"
              type="date"
              aria-label="Last day, in UTC"
              required
              {...dateRange(Date.now())}
              value={date}
              onInput={(event) => setDate(event.currentTarget.value)}
            />
          )}
        </div>
        <small>
          {expiresAt === null
            ? 'It works until you revoke it.'
            : Number.isNaN(expiresAt)
              ? 'Choose its last day.'
              : `It stops working ${exactUtc(expiresAt)}. Rotate it before.`}
        </small>
      </div>
      <p role="alert" class="problem">
        {errorText}
      </p>
    </Dialog>
  );
}
