import { absent, exactUtc, relative } from '../parts/figures.ts';
import { useNow } from '../parts/now.ts';
import type { MarketClock } from './market_clock.ts';

/** A time of the market as its distance from market time; the exact UTC on hover, to the millisecond. */
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
  if (!at) return <span class="muted">{absent}</span>;
  const words = relative(Date.parse(at), clock.now());
  return (
    <time dateTime={at} title={exactMs(at)} class="nowrap">
      {short ? words.replace(' ago', '') : words}
    </time>
  );
}

/** 2026-11-20 05:14:50.370 UTC: books are held against each other by less than a second. */
export function exactMs(at: string): string {
  return Number.isNaN(Date.parse(at))
    ? exactUtc(at)
    : `${new Date(at).toISOString().slice(0, 23).replace('T', ' ')} UTC`;
}
