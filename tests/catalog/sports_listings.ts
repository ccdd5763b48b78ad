import { expect } from 'vitest';
import type { Sql } from '../../local/platform/postgres/template.ts';
import type { TestDatabase } from '../support/database.ts';
import { listedA, listedB, putListings, runMatchPass } from './listings.ts';

/** Builders of sports listings of both venues, and the pairs that a match pass makes of them. */

const MONTHS = ['JAN', 'FEB', 'MAR', 'APR', 'MAY', 'JUN', 'JUL', 'AUG', 'SEP', 'OCT', 'NOV', 'DEC'];

type More = { competition?: string; scope?: string; start?: string; rules?: string };
export type ListingA = { event: { event_ticker: string } & Record<string, unknown>; start: string | null };
export type ListingB = { slug: string } & Record<string, unknown>;

/** Converts `2026-08-09` to the form of tickers: `26AUG09`. */
const tickerDay = (day: string): string =>
  `${day.slice(2, 4)}${MONTHS[Number(day.slice(5, 7)) - 1]}${day.slice(8, 10)}`;

function eventA(ticker: string, title: string | null, markets: Record<string, unknown>[], more: More): ListingA {
  const { competition, scope = 'Game', start = null } = more;
  return {
    event: {
      event_ticker: ticker,
      series_ticker: ticker.split('-')[0],
      title,
      product_metadata: competition === undefined ? undefined : { competition, competition_scope: scope },
      markets,
    },
    start,
  };
}

/** A winner market. A side is the code of its ticker and its label, such as `NYK New York`. */
export function winnerA(
  series: string,
  day: string,
  occasion: string,
  title: string | null,
  sides: string[],
  more: More = {},
): ListingA {
  const ticker = `${series}-${tickerDay(day)}${occasion}`;
  const markets = sides.map((side) => {
    const [code = '', ...label] = side.split(' ');
    return {
      ticker: `${ticker}-${code}`,
      yes_sub_title: label.join(' ') || null,
      rules_primary: more.rules,
      close_time: `${day}T23:59:00Z`,
    };
  });
  return eventA(ticker, title, markets, more);
}

/** A ladder, such as `ladderA(…, [['BOS4', 3.5, 'Boston wins by over 3.5 points']])`. */
export function ladderA(
  series: string,
  day: string,
  occasion: string,
  title: string,
  strikes: [suffix: string, floor: number, label: string][],
  more: More = {},
): ListingA {
  const ticker = `${series}-${tickerDay(day)}${occasion}`;
  const markets = strikes.map(([suffix, floor_strike, label]) => ({
    ticker: `${ticker}-${suffix}`,
    yes_sub_title: label,
    strike_type: 'greater',
    floor_strike,
    close_time: `${day}T23:59:00Z`,
  }));
  return eventA(ticker, title, markets, { scope: 'Spread', ...more });
}

type MarketB = { q: string; o?: string[]; type?: string; line?: number; group?: string; slug?: string; text?: string };

/** An event with these markets. The token of an outcome is `<slug>:<market index>:<outcome>`. */
export function eventB(
  slug: string,
  title: string | null,
  markets: MarketB[],
  more: { start?: string; text?: string; day?: string; fields?: Record<string, unknown> } = {},
): ListingB {
  return {
    slug,
    title,
    description: more.text,
    eventDate: more.day,
    ...more.fields,
    markets: markets.map((one, at) => {
      const outcomes = one.o ?? ['Over', 'Under'];
      return {
        slug: one.slug ?? slug,
        conditionId: `0x${slug}-${at}`,
        question: one.q,
        groupItemTitle: one.group,
        sportsMarketType: one.type,
        line: one.line,
        description: one.text,
        outcomes: JSON.stringify(outcomes),
        clobTokenIds: JSON.stringify(outcomes.map((name) => `${slug}:${at}:${name}`)),
        gameStartTime: more.start,
        endDate: '2026-12-30T00:00:00Z',
      };
    }),
  };
}

/** A winner market with two outcomes, in this order. */
export const winnerB = (
  slug: string,
  outcomes: [string, string],
  more: Parameters<typeof eventB>[3] & { title?: string } = {},
) => {
  const title = more.title ?? outcomes.join(' vs. ');
  return eventB(slug, title, [{ q: title, o: outcomes, type: 'moneyline' }], more);
};

/** The winner of a soccer game: three Yes/No markets. */
export function soccerB(
  slug: string,
  [home, away]: [string, string],
  more: Parameters<typeof eventB>[3] & { title?: string } = {},
): ListingB {
  const day = /\d{4}-\d{2}-\d{2}/.exec(slug)?.[0] ?? '';
  const yesNo = (q: string, group: string, end: string): MarketB => ({
    q,
    group,
    o: ['Yes', 'No'],
    type: 'moneyline',
    slug: `${slug}-${end}`,
  });
  return eventB(
    slug,
    more.title ?? `${home} vs. ${away}`,
    [
      yesNo(`Will ${home} win on ${day}?`, home, 'home'),
      yesNo(`Will ${home} vs. ${away} end in a draw?`, `Draw (${home} vs. ${away})`, 'draw'),
      yesNo(`Will ${away} win on ${day}?`, away, 'away'),
    ],
    more,
  );
}

export type Pair = { a: string; b: string; legs: string[] };

/**
 * All pairs of any band. A leg is written `outcome: contract and side of venue_a = token of
 * venue_b`.
 */
export async function pairsOf(sql: Sql): Promise<Pair[]> {
  const rows = await sql<Pair[]>`
    select p.event_a as a, p.event_b as b,
           array_agg(
             o.key || ': ' || split_part(o.contract_a, '-', 3) || ' ' || o.side_a || ' = ' || split_part(o.contract_b, ':', 3)
             order by o.ordinal
           ) as legs
    from catalog.pairs p
    join catalog.outcomes o using (pair_id)
    where p.withdrawn_at is null
    group by p.pair_id
    order by p.event_a, p.event_b, min(o.contract_a)`;
  return [...rows];
}

/** Replaces all listings with these, runs a match pass and returns the pairs. */
export async function pairListings(
  { sql }: TestDatabase,
  now: string,
  a: readonly ListingA[],
  b: readonly ListingB[],
): Promise<Pair[]> {
  await sql`truncate venue.events, catalog.pairs, catalog.outcomes, catalog.strikes, catalog.rejections cascade`;
  const read = a.map(({ event, start }) =>
    listedA(event, {
      now,
      milestones: start === null ? [] : [{ primary_event_tickers: [event.event_ticker], start_date: start }],
    }),
  );
  await putListings(sql, 'venue_a', read);
  await putListings(
    sql,
    'venue_b',
    b.map((event) => listedB(event, { now })),
  );
  const { pairs } = await runMatchPass(sql);
  const found = await pairsOf(sql);
  expect(found).toHaveLength(pairs);
  return found;
}
