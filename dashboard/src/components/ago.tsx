import { instant, NO_VALUE, relative } from './format.ts';
import { useNow } from './now.ts';

/** A time relative to now. Hover and focus show it exactly, in UTC and local (exact_time.tsx). */
export function Ago({ at, none = NO_VALUE }: { at: string | null | undefined; none?: string }) {
  const now = useNow();
  if (!at) return <span class="muted">{none}</span>;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: the focus shows the exact time.
    <time dateTime={new Date(instant(at)).toISOString()} class="nowrap" tabIndex={0}>
      {relative(instant(at), now)}
    </time>
  );
}
