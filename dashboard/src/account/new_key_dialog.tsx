import { CopyableText } from '../components/copyable_text.tsx';
import { Dialog } from '../components/dialog.tsx';
import { Icon } from '../components/icon.tsx';
import { exampleCurl } from './curl.ts';

/**
 * Shows a new key. The service does not store it, so this is the only time; Escape does not close
 * the dialog.
 */
export function NewKeyDialog({ fresh, note, onClose }: { fresh: string; note?: string; onClose(): void }) {
  return (
    <Dialog
      title="Your new key"
      firm
      onClose={onClose}
      foot={
        <button type="button" class="button first" onClick={onClose}>
          I have saved it
        </button>
      }
    >
      <p class="notice">
        <Icon name="warning" />
        Copy it now: you will not see it again. We store only its hash.
      </p>
      {note && <p>{note}</p>}
      <CopyableText text={fresh} label="the key" whole first />
      <h3>First request</h3>
      <CopyableText text={exampleCurl(fresh)} label="the request" />
    </Dialog>
  );
}
