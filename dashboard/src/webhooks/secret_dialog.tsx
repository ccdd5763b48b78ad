import { CopyableText } from '../components/copyable_text.tsx';
import { Dialog } from '../components/dialog.tsx';
import type { Registered } from './webhook.ts';

/**
 * Shows the signing secret of a new endpoint and how to verify a signature. This is the only time.
 */
export function SecretDialog({ registered, onClose }: { registered: Registered; onClose(): void }) {
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
        <strong>You will not see it again.</strong> It signs every delivery to <code>{registered.url}</code>.
      </p>
      <CopyableText text={registered.secret} label="the secret" />
      <p>
        Each delivery has the header <code>X-Svc-Signature: t=…,v1=…</code>. <code>v1</code> is the hex HMAC-SHA256 of{' '}
        <code>t</code>, a dot and the raw body, with the whole secret as the key. Compare in constant time, and reject a{' '}
        <code>t</code> that differs from your clock by more than 300 seconds.
      </p>
    </Dialog>
  );
}
