import type { ComponentChildren } from 'preact';
import { useId, useLayoutEffect, useRef } from 'preact/hooks';

type DialogProps = {
  title: string;
  onClose(): void;
  children: ComponentChildren;
  /** The buttons at the foot. Within a form, the last one submits. */
  foot?: ComponentChildren;
  /** Makes the dialog one form: Enter submits. */
  onSubmit?(): void;
  /** What must be answered closes by its buttons alone: a key that is shown once is not lost to a slip of Escape. */
  firm?: boolean;
};

/** A question in front of the page. The browser's own dialog keeps the focus inside and gives it back where it came from. */
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
        // A second Escape would close in spite of preventDefault.
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
