import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';

type MenuProps = {
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

  useEffect(() => {
    if (!open) return;
    const elsewhere = (event: Event) => {
      if (event.target instanceof Node && !root.current?.contains(event.target)) setOpen(false);
    };
    addEventListener('pointerdown', elsewhere);
    addEventListener('focusin', elsewhere);
    return () => {
      removeEventListener('pointerdown', elsewhere);
      removeEventListener('focusin', elsewhere);
    };
  }, [open]);

  const close = () => {
    setOpen(false);
    root.current?.querySelector('button')?.focus();
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: it only hears Escape from what is inside.
    <div
      ref={root}
      class="menu"
      onKeyDown={(event) => {
        if (event.key === 'Escape' && open) close();
      }}
    >
      <button type="button" class={kind} aria-expanded={open} aria-label={label} onClick={() => setOpen(!open)}>
        {button}
      </button>
      {open && <div class="panel">{children(close)}</div>}
    </div>
  );
}
