/**
 * Formats numbers, money and times for all pages. No page prints a bare float. Where a value is
 * rounded, the exact one is in the title attribute.
 */
const whole = new Intl.NumberFormat('en-US');

const oneDigit = new Intl.NumberFormat('en-US', { minimumFractionDigits: 1, maximumFractionDigits: 1 });
const signedDigit = new Intl.NumberFormat('en-US', {
  minimumFractionDigits: 1,
  maximumFractionDigits: 1,
  signDisplay: 'exceptZero',
});
const cent = new Intl.NumberFormat('en-US', { style: 'currency', currency: 'USD' });
const usd6 = new Intl.NumberFormat('en-US', {
  style: 'currency',
  currency: 'USD',
  minimumFractionDigits: 2,
  maximumFractionDigits: 6,
});

export const NO_VALUE = '–';

/** 10000 → 10,000 */
export const count = (value: number): string => whole.format(value);

/** A price from 0 to 1 in cents: 0.625 → 62.5¢ */
export const cents = (price: number | null | undefined): string =>
  price === null || price === undefined ? NO_VALUE : `${oneDigit.format(price * 100)}¢`;

/** A spread in points: 3.25 → 3.3 pts. `signed` adds the sign of a change. */
export const points = (value: number | null | undefined, signed = false): string =>
  value === null || value === undefined ? NO_VALUE : `${(signed ? signedDigit : oneDigit).format(value)} pts`;

/** A share from 0 to 1: 0.0234 → 2.3 % */
export const percent = (share: number | null | undefined): string =>
  share === null || share === undefined ? NO_VALUE : `${oneDigit.format(share * 100)} %`;

/** Dollars to the cent. A decimal string keeps its precision. */
export const dollars = (value: number | string | null | undefined): string =>
  value === null || value === undefined ? NO_VALUE : cent.format(value as number);

/** Dollars with up to six decimals, for the title of a rounded amount. */
export const exactDollars = (value: number | string | null | undefined): string =>
  value === null || value === undefined ? NO_VALUE : usd6.format(value as number);

/**
 * Parses a time to epoch ms. PostgREST writes `2026-11-20T05:14:50.37+00:00`; the local REST
 * service writes `2026-11-20 05:14:50.37+00`, which Safari cannot parse.
 */
export function instant(at: string): number {
  const iso = at.replace(' ', 'T').replace(/([+-]\d\d)$/, '$1:00');
  return Date.parse(iso);
}

/** 2026-11-20 05:14:50 UTC */
export function exactUtc(at: string | number): string {
  const time = typeof at === 'number' ? at : instant(at);
  return Number.isNaN(time) ? NO_VALUE : `${new Date(time).toISOString().slice(0, 19).replace('T', ' ')} UTC`;
}

/**
 * The same moment in the time zone of the browser: 2026-11-20 06:14:50 GMT+1. Null where that is
 * UTC, and for a text that is no time.
 */
export function exactLocal(at: string | number, timeZone?: string): string | null {
  const time = typeof at === 'number' ? at : instant(at);
  if (Number.isNaN(time)) return null;
  const format = new Intl.DateTimeFormat('sv-SE', {
    ...{ timeZone, year: 'numeric', month: '2-digit', day: '2-digit', hour: '2-digit', minute: '2-digit' },
    ...{ second: '2-digit', hourCycle: 'h23', timeZoneName: 'shortOffset' },
  });
  const text = format.format(time).replace('−', '-');
  return / (GMT|UTC)(\+0)?$/.test(text) ? null : text;
}

/** 20 Nov 2026, in UTC */
export function day(at: string | number): string {
  const time = typeof at === 'number' ? at : instant(at);
  return Number.isNaN(time) ? NO_VALUE : dayOf.format(time);
}
const dayOf = new Intl.DateTimeFormat('en-GB', { timeZone: 'UTC', day: 'numeric', month: 'short', year: 'numeric' });

const steps: [unit: string, seconds: number, until: number][] = [
  ['s', 1, 90],
  ['min', 60, 90 * 60],
  ['h', 3600, 36 * 3600],
  ['d', 86_400, 60 * 86_400],
];

/**
 * A duration in its largest fitting unit: 75 s, 12 min, 30 h, 45 d; above that whole months and
 * years.
 */
export function duration(milliseconds: number): string {
  const seconds = Math.max(0, Math.round(milliseconds / 1000));
  for (const [unit, size, until] of steps) if (seconds < until) return `${Math.round(seconds / size)} ${unit}`;
  const days = seconds / 86_400;
  return days < 730 ? `${Math.round(days / 30.44)} mo` : `${Math.round(days / 365.25)} y`;
}

/** 12 s ago, in 5 h, just now. Both arguments are epoch ms. */
export function relative(at: number, now: number): string {
  const away = at - now;
  if (Number.isNaN(away)) return NO_VALUE;
  if (Math.abs(away) < 1000) return 'just now';
  return away < 0 ? `${duration(-away)} ago` : `in ${duration(away)}`;
}
