import { Ago } from '../components/ago.tsx';
import { CopyableText } from '../components/copyable_text.tsx';
import { Dialog } from '../components/dialog.tsx';

export type ShownSecret = {
  url: string;
  secret: string;
  /** Until then the secret before it signs too; undefined for a new endpoint. */
  previous_secret_until?: string;
};

/** Shows a new signing secret and how to verify a signature. This is the only time. */
export function SecretDialog({ shown, onClose }: { shown: ShownSecret; onClose(): void }) {
  return (
    <Dialog
      title="Your signing secret"
      firm
      onClose={onClose}
      foot={
        <button type="button" class="button first" onClick={onClose}>
          I have saved it
        </button>
      }
    >
      <p>
        <strong>You will not see it again.</strong> It signs every delivery to <code>{shown.url}</code>.
      </p>
      <CopyableText text={shown.secret} label="the secret" />
      {shown.previous_secret_until && (
        <p>
          Deliveries have two signatures for a day: the old secret signs too, for the last time{' '}
          <Ago at={shown.previous_secret_until} />. Accept a delivery if one of them is right.
        </p>
      )}
      <p>
        Each delivery has the header <code>X-Svc-Signature: t=…,v1=…</code>, with a second <code>v1</code> for a day
        after you roll the secret. <code>v1</code> is the hex HMAC-SHA256 of <code>t</code>, a dot and the raw body,
        with the whole secret as the key. Compare in constant time, and reject a <code>t</code> that differs from your
        clock by more than 300 seconds.
      </p>
    </Dialog>
  );
}
