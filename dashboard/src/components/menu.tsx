import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';

type MenuProps = {
  /** What the button is for, read before what it shows. */
  label: string;
  button: ComponentChildren;
  kind?: string;
  /** Called with a way to close, so that an entry can. */
  children(close: () => void): ComponentChildren;
};

/** A button that opens a panel under it. Escape, a click elsewhere and the focus leaving close it. */
export function Menu({ label, button, kind = 'button', children }: MenuProps) {
  const [open, setOpen] = useState(false);
  const root = useRef<HTMLDivElement>(null);
  const close = () => {
    setOpen(false);
    root.current?.querySelector('button')?.focus();
  };

  useEffect(() => {
    if (!open) return;
    const elsewhere = (event: Event) => {
      if (event.target instanceof Node && !root.current?.contains(event.target)) setOpen(false);
    };
    // On the document: not every browser gives a button the focus when it is clicked.
    const onEscape = (event: KeyboardEvent) => {
      if (event.key === 'Escape') close();
    };
    addEventListener('pointerdown', elsewhere);
    addEventListener('focusin', elsewhere);
    addEventListener('keydown', onEscape);
    return () => {
      removeEventListener('pointerdown', elsewhere);
      removeEventListener('focusin', elsewhere);
      removeEventListener('keydown', onEscape);
    };
  }, [open]);

  return (
    <div ref={root} class="menu">
      <button type="button" class={kind} aria-expanded={open} onClick={() => setOpen(!open)}>
        <span class="unseen">{label}: </span>
        {button}
      </button>
      {open && <div class="panel">{children(close)}</div>}
    </div>
  );
}
