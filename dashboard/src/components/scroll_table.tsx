import type { ComponentChildren } from 'preact';

/** A container that scrolls a wide table sideways, also by keyboard. */
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
    // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls by keyboard.
    <section class={`scroll-table ${kind}`} aria-label={label} tabIndex={0}>
      {children}
    </section>
  );
}
