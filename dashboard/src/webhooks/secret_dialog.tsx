import { CopyableText } from '../components/copyable_text.tsx';
import { Dialog } from '../components/dialog.tsx';
import type { Registered } from './webhook.ts';

/** The secret, this once, and what to do with it. */
export function SecretDialog({ registered, onClose }: { registered: Registered; onClose(): void }) {
  return (
    <Dialog
      title="Your signing secret"
      firm
      onClose={onClose}
      foot={
        <button type="button" class="button first" onClick={onClose}>
          I have kept it
        </button>
      }
    >
      <p>
        <strong>You will not see it again.</strong> It signs every delivery to <code>{registered.url}</code>.
      </p>
      <CopyableText text={registered.secret} label="the secret" />
      <p>
        Each delivery has the header <code>X-Svc-Signature: t=…,v1=…</code>. <code>v1</code> is the hex HMAC-SHA256 of{' '}
        <code>t</code>, a dot and the raw body, keyed with the whole secret. Compare in constant time, and refuse a{' '}
        <code>t</code> that is more than 300 seconds away.
      </p>
    </Dialog>
  );
}
