import type { ComponentChildren } from 'preact';
import { useId, useLayoutEffect, useRef } from 'preact/hooks';

type DialogProps = {
  title: string;
  onClose(): void;
  children: ComponentChildren;
  /** The buttons of the footer. In a form the last one submits. */
  foot?: ComponentChildren;
  /** Makes the dialog a form, so that Enter submits. */
  onSubmit?(): void;
  /** Only a button closes the dialog: Escape must not lose a key that is shown once. */
  firm?: boolean;
};

/**
 * A modal dialog. The native element keeps the focus inside; the focus returns to its origin on
 * close.
 */
export function Dialog({ title, onClose, children, foot, onSubmit, firm }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();

  useLayoutEffect(() => {
    const before = document.activeElement as HTMLElement | null;
    dialog.current?.showModal();
    return () => {
      dialog.current?.close();
      if (before?.isConnected) before.focus();
    };
  }, []);

  const body = (
    <>
      <header>
        <h2 id={id}>{title}</h2>
      </header>
      <div class="content">{children}</div>
      {foot && <footer>{foot}</footer>}
    </>
  );
  return (
    <dialog
      ref={dialog}
      class="dialog"
      aria-labelledby={id}
      onCancel={(event) => {
        event.preventDefault();
        if (!firm) onClose();
      }}
      onKeyDown={(event) => {
        // Chromium closes the dialog on a second Escape although onCancel prevents the default.
        if (firm && event.key === 'Escape') event.preventDefault();
      }}
    >
      {onSubmit ? (
        <form
          onSubmit={(event) => {
            event.preventDefault();
            onSubmit();
          }}
        >
          {body}
        </form>
      ) : (
        body
      )}
    </dialog>
  );
}
