import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';

type MenuProps = {
  /** Purpose of the button; screen readers read it before the content. */
  label: string;
  button: ComponentChildren;
  kind?: string;
  /** Receives a function that closes the menu. */
  children(close: () => void): ComponentChildren;
};

/** A button that opens a panel. Escape, a click outside or focus outside closes it. */
export function Menu({ label, button, kind = 'button', children }: MenuProps) {
  const [open, setOpen] = useState(false);
  const root = useRef<HTMLDivElement>(null);
  const close = () => {
    setOpen(false);
    root.current?.querySelector('button')?.focus();
  };

  useEffect(() => {
    if (!open) return;
    const closeOutside = (event: Event) => {
      if (event.target instanceof Node && !root.current?.contains(event.target)) setOpen(false);
    };
    // On the window: Safari does not focus a button when it is clicked.
    const onEscape = (event: KeyboardEvent) => {
      if (event.key === 'Escape') close();
    };
    addEventListener('pointerdown', closeOutside);
    addEventListener('focusin', closeOutside);
    addEventListener('keydown', onEscape);
    return () => {
      removeEventListener('pointerdown', closeOutside);
      removeEventListener('focusin', closeOutside);
      removeEventListener('keydown', onEscape);
    };
  }, [open]);

  return (
    <div ref={root} class="menu">
      <button type="button" class={kind} aria-expanded={open} onClick={() => setOpen(!open)}>
        <span class="visually-hidden">{label}: </span>
        {button}
      </button>
      {open && <div class="panel">{children(close)}</div>}
    </div>
  );
}
