import type { League } from './league.ts';
import { soccer } from './soccer.ts';

/**
 * A league that the product's registry does not hold: the Icelandic first division with its clubs
 * of 2026. Venue B prints two of the twelve names in another way than venue A. The league is not in
 * LEAGUES, because the number of games of every other league depends on that list.
 */
const BESTA_DEILD = `
VIK|Víkingur Reykjavík|Vikingur
VAL|Valur|Valur
STJ|Stjarnan|Stjarnan
BRE|Breiðablik|Breidablik
FH|FH Hafnarfjörður|FH Hafnarfjörður||hfj
FRA|Fram Reykjavík|Fram Reykjavík
IBV|ÍBV Vestmannaeyjar|ÍBV Vestmannaeyjar
KA|KA Akureyri|KA Akureyri||kaa
IA|ÍA Akranes|ÍA Akranes||iaa
KR|KR Reykjavík|KR Reykjavík||krr
THO|Þór Akureyri|Þór Akureyri
KEF|Keflavík|Keflavík`;

export const UNREGISTERED_LEAGUES: readonly League[] = [
  {
    ...soccer({
      key: 'bdk',
      series: 'KXBESTADEILDGAME',
      competition: 'Besta deild',
      phrase: 'professional Besta deild karla soccer game',
      prefix: 'bdk',
      source: 'KSÍ',
      site: 'https://www.ksi.is/',
      tagId: '102931',
      slug: 'besta-deild-karla',
      table: BESTA_DEILD,
    }),
    scoring: null,
  },
];
