import { useState } from 'preact/hooks';
import { Dialog } from '../components/dialog.tsx';
import { exactUtc } from '../components/format.ts';
import { useMutation } from '../session/use_mutation.ts';
import { useRpc } from '../session/use_rpc.ts';
import type { KeyRow, NewKey } from './types.ts';

/** Asks before it revokes a key, because a revocation is final. */
export function RevokeDialog({ target, onClose, onDone }: { target: KeyRow; onClose(): void; onDone(): void }) {
  const { call } = useRpc();
  const { busy, errorText, run } = useMutation();
  return (
    <Dialog
      title={`Revoke “${target.name}”?`}
      onClose={onClose}
      onSubmit={() =>
        void run(async () => {
          await call('revoke_key', { p_key: target.key_id });
          onDone();
        })
      }
      foot={
        <>
          <button type="button" class="button" onClick={onClose}>
            Cancel
          </button>
          <button type="submit" class="button danger" disabled={busy}>
            Revoke {target.name}
          </button>
        </>
      }
    >
      <p>
        Requests with <code>{target.prefix}…</code> fail with 401 immediately. This cannot be undone.
      </p>
      <p role="alert" class="problem">
        {errorText}
      </p>
    </Dialog>
  );
}

const overlaps = [0, 1, 24, 72] as const;

/**
 * Replaces a key. The old key keeps working for the chosen overlap, so that clients can switch
 * without downtime.
 */
export function RotateDialog({
  target,
  onClose,
  onDone,
}: {
  target: KeyRow;
  onClose(): void;
  onDone(fresh: NewKey, hours: number): void;
}) {
  const { call } = useRpc();
  const { busy, errorText, run } = useMutation();
  const [hours, setHours] = useState(24);
  const ends = hours > 0 ? `works until ${exactUtc(Date.now() + hours * 3_600_000)}` : 'stops working immediately';
  return (
    <Dialog
      title={`Rotate “${target.name}”`}
      onClose={onClose}
      onSubmit={() =>
        void run(async () => {
          onDone(await call<NewKey>('rotate_key', { p_key: target.key_id, p_overlap_hours: hours }), hours);
        })
      }
      foot={
        <>
          <button type="button" class="button" onClick={onClose}>
            Cancel
          </button>
          <button type="submit" class="button first" disabled={busy || !Number.isInteger(hours)}>
            Create new key
          </button>
        </>
      }
    >
      <p>
        You get a new key with the same name{target.scope === 'read_only' && ', also read-only'}
        {target.lifetime_seconds !== null && `, that expires ${exactUtc(Date.now() + target.lifetime_seconds * 1000)}`}.
        How long should the old key keep working?
      </p>
      <div class="buttons">
        {overlaps.map((choice) => (
          <button
            key={choice}
            type="button"
            class="button little"
            aria-pressed={hours === choice}
            onClick={() => setHours(choice)}
          >
            {choice} h
          </button>
        ))}
      </div>
      <label class="field hours">
        <span>Overlap in hours, 0 to 72</span>
        <input
          class="input"
          type="number"
          name="hours"
          min={0}
          max={72}
          step={1}
          required
          value={hours}
          onInput={(event) => setHours(event.currentTarget.valueAsNumber)}
        />
      </label>
      <p class="muted" role="status">
        {Number.isInteger(hours) && hours >= 0 && hours <= 72 ? (
          <>
            The old key <code>{target.prefix}…</code> {ends}.
          </>
        ) : (
          'Enter a whole number of hours from 0 to 72.'
        )}
      </p>
      <p role="alert" class="problem">
        {errorText}
      </p>
    </Dialog>
  );
}
