import { describe, expect, test } from 'vitest';
import { faultsOf, passesOf, type Scope } from '../dashboard/support/looks.ts';
import { openPage, picture, textsOf, type WatchedPage, waitForCount } from '../dashboard/support/page.ts';
import recorded from './support/recorded.json' with { type: 'json' };

/** Opens the card of one opportunity and returns the lines of each leg, without the buttons. */
export async function legsOf(page: WatchedPage, title: string): Promise<string[][]> {
  const card = page.getByRole('article', { name: title, exact: true });
  await card.waitFor();
  for (const open of await page.locator('.opportunity-head[aria-expanded=true]').all()) await open.click();
  await card.locator('.opportunity-head').click();
  await card.locator('.legs li').first().waitFor();
  const legs = await card.locator('.legs li').all();
  return await Promise.all(legs.map((leg) => textsOf(leg, 'p:not(.contract), .contract code')));
}

/** What the cards and the page of a market say to buy. */
export const legsSuite = (scope: Scope, base: () => string) =>
  describe('in each layout', () => {
    const passes = passesOf(scope, {
      wide: { width: 1440, height: 1000 },
      narrow: { width: 390, height: 844 },
      others: [],
    });

    test.each(passes)('%s: a card names the contract, its side and the outcome that pays', async (name, lookAt) => {
      const look = lookAt(0);
      const page = await openPage(look.opened);
      await page.goto(`${base()}/?page=opportunities`);
      // NO on the contract about Seattle pays if New Jersey wins.
      expect(await legsOf(page, 'Seattle Kraken vs New Jersey Devils')).toEqual([
        [
          'Buy Kraken on "Kraken vs. Devils" (token 94895824…4595). Pays $1 if Seattle Kraken wins',
          '46¢ + 1.24¢ fee',
          'venue_b · 2,911.54 available · orders wait 1 s before they match',
          recorded.opportunities[1]?.legs[0]?.contract_id,
        ],
        [
          'Buy NO on KXNHLGAME-26NOV21SEANJ-SEA (Seattle). Pays $1 if New Jersey Devils wins',
          '50¢ + 1.75¢ fee',
          'venue_a · 231 available',
          'KXNHLGAME-26NOV21SEANJ-SEA',
        ],
      ]);
      await picture(page, `legs/no_${name}`);
      expect(await legsOf(page, 'Ipswich Town vs Sunderland: total 2.5 goals')).toEqual([
        [
          'Buy YES on KXEPLTOTAL-26NOV22IPSSUN-2 (Over 2.5 goals scored). Pays $1 if the total is over 2.5',
          '67¢ + 1.55¢ fee',
          'venue_a · 756 available',
          'KXEPLTOTAL-26NOV22IPSSUN-2',
        ],
        [
          'Buy Under on "Ipswich Town FC vs. Sunderland AFC: O/U 2.5" (token 33534122…5138). Pays $1 if the total is under 2.5',
          '30¢ + 1.05¢ fee',
          'venue_b · 376 available · orders wait 1 s before they match',
          recorded.opportunities[2]?.legs[1]?.contract_id,
        ],
      ]);
      await picture(page, `legs/yes_${name}`);
      expect([await faultsOf(page, look, { shift: Number.POSITIVE_INFINITY }), page.errors]).toEqual([{}, []]);
    });

    test.each(passes)(
      '%s: a market page names the venue_a contract and side (YES or NO) of each outcome',
      async (name, lookAt) => {
        const look = lookAt(1);
        const page = await openPage(look.opened);
        await page.goto(`${base()}/?page=market&state=total&rows=0`);
        await waitForCount(page, '.outcomes-table .contract-of', 2);
        expect(await textsOf(page, '.outcomes-table tbody th')).toEqual([
          'Over 2.5 venue_a: YES on KXEPLTOTAL-26NOV22IPSSUN-2',
          'Under 2.5 venue_a: NO on KXEPLTOTAL-26NOV22IPSSUN-2',
        ]);
        await picture(page, `legs/market_${name}`);
        expect(await faultsOf(page, look, { shift: Number.POSITIVE_INFINITY })).toEqual({});
      },
    );
  });
