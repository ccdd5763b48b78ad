import { duration, exactUtc, NO_VALUE, relative } from '../components/format.ts';
import { useNow } from '../components/now.ts';
import type { MarketClock } from './market_clock.ts';

/**
 * Age of a time in market time, with the exact UTC time on hover. The clock of the page lags a
 * little, so a time ahead of it is "just now": no age is negative.
 */
export function MarketAgo({
  at,
  clock,
  short,
}: {
  at: string | null | undefined;
  clock: MarketClock;
  short?: boolean;
}) {
  useNow();
  if (!at) return <span class="muted">{NO_VALUE}</span>;
  const now = clock.now();
  const text = relative(Math.min(Date.parse(at), now), now);
  return (
    <time dateTime={at} title={exactMs(at)} class="nowrap">
      {short ? text.replace(' ago', '') : text}
    </time>
  );
}

/**
 * Start time of an event: "Starts in 5 h", "Started 6 h ago". It is drawn again only with its row
 * or page.
 */
export function StartTime({ at, clock }: { at: string; clock: MarketClock }) {
  const now = clock.now();
  return (
    <time dateTime={at} title={exactUtc(at)} class="nowrap">
      {Date.parse(at) > now ? 'Starts' : 'Started'} {relative(Date.parse(at), now)}
    </time>
  );
}

/** Time since `since`: "38 s". */
export function OpenDuration({ since, clock }: { since: string | null; clock: MarketClock }) {
  useNow();
  if (!since) return <span class="muted">{NO_VALUE}</span>;
  const lasted = clock.now() - Date.parse(since);
  return (
    <time dateTime={since} title={exactMs(since)} class="nowrap">
      {Number.isNaN(lasted) ? NO_VALUE : duration(lasted)}
    </time>
  );
}

/**
 * 2026-11-20 05:14:50.370 UTC, with milliseconds, because books of two venues are compared within a
 * second.
 */
export function exactMs(at: string): string {
  return Number.isNaN(Date.parse(at))
    ? exactUtc(at)
    : `${new Date(at).toISOString().slice(0, 23).replace('T', ' ')} UTC`;
}
