import { describe, expect, it } from 'vitest';
import { instantOfClock, NEW_YORK, parseClock } from '../../functions/ingest/identity/text/clock.ts';
import { parseDate } from '../../functions/ingest/identity/text/eastern.ts';

/**
 * Guarantee: an hour is parsed in the zone that its text names, and an unknown zone gives no
 * instant.
 */

const SUMMER = '2026-07-15';
const WINTER = '2026-01-15';
const at = (text: string, date = SUMMER, otherwise: string | null = null): string | null => {
  const clock = parseClock(text);
  return clock === null ? null : (instantOfClock(date, clock, otherwise)?.slice(0, 16) ?? null);
};

describe('parseClock and instantOfClock', () => {
  it.each([
    ['on July 15, 5PM ET?', '2026-07-15T21:00'],
    ['before 5 PM EDT is above', '2026-07-15T21:00'],
    ['at 5:30 p.m. Eastern Time', '2026-07-15T21:30'],
    ['at 17:00 EDT?', '2026-07-15T21:00'],
    ['12:00 in the ET timezone (noon) on the date', '2026-07-15T16:00'],
    ['noon ET', '2026-07-15T16:00'],
    ['12PM UTC', '2026-07-15T12:00'],
    ['5 pm GMT', '2026-07-15T17:00'],
    ['17:00 in the GMT timezone', '2026-07-15T17:00'],
    ['12:00 UTC+2', '2026-07-15T10:00'],
    ['9 AM GMT-3', '2026-07-15T12:00'],
    ['noon London time', '2026-07-15T11:00'],
    ['5 PM BST', '2026-07-15T16:00'],
    ['17:00 CEST', '2026-07-15T15:00'],
    ['17:00 Central European Time', '2026-07-15T15:00'],
    ['9 AM PT', '2026-07-15T16:00'],
    ['9 AM Pacific time', '2026-07-15T16:00'],
    ['noon (PDT)', '2026-07-15T19:00'],
    ['8 AM CDT', '2026-07-15T13:00'],
    ['midnight UTC', '2026-07-15T00:00'],
    ['9:00 Tokyo time', '2026-07-15T00:00'],
    ['8 PM Hong Kong time', '2026-07-15T12:00'],
  ])('reads "%s" in the zone that the text names', (text, instant) => {
    expect(at(text)).toBe(instant);
  });

  it.each([
    ['12 PM EST', '2026-01-15T17:00'],
    ['12 PM ET', '2026-01-15T17:00'],
    ['5 PM CET', '2026-01-15T16:00'],
    ['noon London time', '2026-01-15T12:00'],
    ['9 AM PST', '2026-01-15T17:00'],
  ])('uses the winter offset for "%s" in January', (text, instant) => {
    expect(at(text, WINTER)).toBe(instant);
  });

  it.each([
    ['5 PM EST', SUMMER],
    ['5 PM EDT', WINTER],
    ['5 PM BST', WINTER],
    ['9 AM PDT', WINTER],
  ])('gives no instant for "%s" in the season in which that zone name is not valid', (text, date) => {
    expect(at(text, date)).toBeNull();
  });

  it.each(['5 PM IST', '12:00 XYZ', 'noon local time', '5 PM CST', 'at 3 PM Atlantis time'])(
    'gives no instant for "%s", whose zone is unknown or ambiguous',
    (text) => {
      expect(at(text, SUMMER, NEW_YORK)).toBeNull();
    },
  );

  it('takes the zone of a clock without one from the caller only', () => {
    expect(at('at 5 PM on July 15')).toBeNull();
    expect(at('at 5 PM on July 15', SUMMER, NEW_YORK)).toBe('2026-07-15T21:00');
    expect(at('5 PM ON JULY 15', SUMMER, NEW_YORK)).toBe('2026-07-15T21:00');
  });

  it('reads lower-case zones in a slug, where every word after the hour is a zone', () => {
    expect(parseClock('october 2 5pm gmt', true)?.zone).toMatchObject({ kind: 'known', zone: 0 });
    expect(parseClock('october 2 5pm et 589c81', true)?.zone).toMatchObject({ kind: 'known', zone: NEW_YORK });
    expect(parseClock('october 2 5pm foo', true)?.zone).toEqual({ kind: 'unknown' });
    expect(parseClock('october 2 5pm', true)?.zone).toEqual({ kind: 'none' });
  });

  it('gives no instant for an hour that does not exist or that a clock change skips', () => {
    expect(parseClock('25:00 UTC')).toBeNull();
    expect(parseClock('13 PM UTC')).toBeNull();
    expect(at('2:30 AM ET', '2026-03-08')).toBeNull();
  });
});

describe('parseDate without a year', () => {
  it.each([
    ['January 3', '2026-12-30', '2027-01-03'],
    ['Dec 31', '2027-01-01', '2026-12-31'],
    ['Dec. 28', '2026-12-30', '2026-12-28'],
    ['January 3', '2027-01-02', '2027-01-03'],
    ['July 4', '2026-12-30', '2026-07-04'],
  ])('parses "%s" near %s as %s, the nearest date, also across the turn of the year', (text, near, date) => {
    expect(parseDate(text, near)).toBe(date);
  });
});
