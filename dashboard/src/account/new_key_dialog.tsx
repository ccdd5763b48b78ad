import { CopyableText } from '../components/copyable_text.tsx';
import { Dialog } from '../components/dialog.tsx';
import { Icon } from '../components/icon.tsx';
import { exampleCurl } from './curl.ts';

/** The one time that a key is seen: copied here or never. Closes by its button alone. */
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
      <p class="once">
        <Icon name="warning" />
        Copy it now: you will not see it again. We keep its fingerprint only.
      </p>
      {note && <p>{note}</p>}
      <CopyableText text={fresh} label="the key" whole first />
      <h3>A first request</h3>
      <CopyableText text={exampleCurl(fresh)} label="the request" />
    </Dialog>
  );
}
