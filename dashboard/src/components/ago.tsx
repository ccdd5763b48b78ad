import { exactUtc, instant, NO_VALUE, relative } from './format.ts';
import { useNow } from './now.ts';

/** A time relative to now, with the exact UTC time on hover. */
export function Ago({ at, none = NO_VALUE }: { at: string | null | undefined; none?: string }) {
  const now = useNow();
  if (!at) return <span class="muted">{none}</span>;
  return (
    <time dateTime={new Date(instant(at)).toISOString()} title={exactUtc(at)} class="nowrap">
      {relative(instant(at), now)}
    </time>
  );
}
