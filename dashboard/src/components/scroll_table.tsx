import type { ComponentChildren } from 'preact';

/** A table that may be wider than its room: it scrolls sideways alone, by keyboard as well. */
export function ScrollTable({
  label,
  kind = '',
  children,
}: {
  label: string;
  kind?: string;
  children: ComponentChildren;
}) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to take the focus, or the keyboard cannot scroll it.
    <section class={`table-room ${kind}`} aria-label={label} tabIndex={0}>
      {children}
    </section>
  );
}
