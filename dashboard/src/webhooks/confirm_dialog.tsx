import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { Dialog } from '../components/dialog.tsx';

type ConfirmProps = {
  title: string;
  /** The word on the button that acts. */
  action: string;
  danger?: boolean;
  children: ComponentChildren;
  /** Closes the dialog itself when it has succeeded. */
  act(): Promise<void>;
  onClose(): void;
};

/** Asks before an endpoint changes for good. An error keeps the dialog open. */
export function ConfirmDialog({ title, action, danger = false, children, act, onClose }: ConfirmProps) {
  const [error, setError] = useState<string>();
  const [busy, setBusy] = useState(false);
  const send = async () => {
    setBusy(true);
    try {
      await act();
    } catch (error) {
      setError((error as Error).message);
      setBusy(false);
    }
  };
  return (
    <Dialog
      title={title}
      onClose={onClose}
      onSubmit={() => void send()}
      foot={
        <>
          <button type="button" class="button" onClick={onClose}>
            Cancel
          </button>
          <button type="submit" class={`button ${danger ? 'danger' : 'first'}`} disabled={busy}>
            {action}
          </button>
        </>
      }
    >
      {children}
      <p role="alert" class="problem">
        {error}
      </p>
    </Dialog>
  );
}
