import { describe, expect, it } from 'vitest';
import { outrightA } from '../../functions/ingest/identity/outright/outright_a.ts';
import { outrightB } from '../../functions/ingest/identity/outright/outright_b.ts';
import type { Question } from '../../functions/ingest/listing.ts';
import { marketB } from './crypto_fixtures.ts';

/**
 * Guarantee: a season-long contract pays what its payoff sentence states. A text that pays
 * something else is excluded, one that states nothing is unread.
 */

const now = { now: '2026-04-20T12:00:00Z' };
const verdict = (question: Question | undefined): string =>
  question === undefined ? 'no question' : (question.excluded ?? String(question.terms.rules));

type Texts = { title?: string; question?: string; label?: string; rules: string };
const yes = (condition: string) =>
  `This market will resolve to "Yes" if ${condition}. Otherwise, this market will resolve to "No".`;

const cupB = ({ title = 'English Premier League Winner 2025-26', question, label = 'Arsenal', rules }: Texts) =>
  outrightB(
    {
      slug: 'english-premier-league-winner',
      title,
      endDate: '2026-05-24T00:00:00Z',
      markets: [
        marketB(question ?? 'Will Arsenal win the 2025–26 English Premier League?', {
          groupItemTitle: label,
          description: rules,
        }),
        marketB('Will Chelsea win the 2025–26 English Premier League?', {
          groupItemTitle: 'Chelsea',
          description: yes('Chelsea wins the 2025–26 English Premier League'),
        }),
      ],
    },
    now,
  )[0];

const cupA = ({ title = 'English Premier League Champion', question, label = 'Arsenal', rules }: Texts) =>
  outrightA(
    {
      event_ticker: 'KXPREMIERLEAGUE-26',
      title,
      sub_title: '2025-26',
      markets: [
        {
          ticker: 'KXPREMIERLEAGUE-26-ARS',
          title: question ?? 'Will Arsenal win the 2025-26 English Premier League?',
          yes_sub_title: label,
          rules_primary: rules,
        },
        {
          ticker: 'KXPREMIERLEAGUE-26-CFC',
          title: 'Will Chelsea win the 2025-26 English Premier League?',
          yes_sub_title: 'Chelsea',
          rules_primary: 'If Chelsea wins the 2025-26 English Premier League, then the market resolves to Yes.',
        },
      ],
    },
    now,
  )[0];

const AGREES = [
  'Arsenal wins the 2025–26 English Premier League',
  'Arsenal FC wins the 2025-26 Premier League',
  'the listed team wins the 2025–26 English Premier League',
  'the team listed in the title wins the 2025–26 English Premier League',
  'Arsenal is officially declared the winner of the 2025-26 English Premier League',
  'Arsenal is crowned champion of the 2025-26 English Premier League (EPL)',
  'Arsenal wins the English Premier League',
  'Arsenal wins',
];
const CONTRADICTS = [
  'Arsenal does not win the 2025–26 English Premier League',
  'Arsenal fails to win the 2025–26 English Premier League',
  'Arsenal fails to win',
  'Arsenal loses the 2025–26 English Premier League',
  'Arsenal is the runner-up of the 2025–26 English Premier League',
  'Arsenal finishes second in the 2025–26 English Premier League',
  'Arsenal is relegated from the 2025–26 English Premier League',
  'Arsenal finishes in the top 4 of the 2025-26 English Premier League',
  'Arsenal finishes in the top 4',
  'Arsenal wins the 2026–27 English Premier League',
  'Arsenal wins the 2024-25 English Premier League',
  'Chelsea wins the 2025–26 English Premier League',
  'Manchester City wins the 2025–26 English Premier League',
  'any team other than Arsenal wins the 2025–26 English Premier League',
  'Arsenal wins the 2025–26 FA Cup',
];
const SILENT = [
  'Arsenal plays well',
  'the conditions of the competition are met',
  'Arsenal enters the 2025–26 campaign',
];

describe('the payoff sentence of a futures contract', () => {
  it.each(AGREES)('agrees on both venues when it pays if %s', (condition) => {
    expect([
      verdict(cupB({ rules: yes(condition) })),
      verdict(cupA({ rules: `If ${condition}, then the market resolves to Yes.` })),
    ]).toEqual(['read', 'read']);
  });

  it.each(CONTRADICTS)('contradicts on both venues when it pays if %s', (condition) => {
    const found = [
      verdict(cupB({ rules: yes(condition) })),
      verdict(cupA({ rules: `If ${condition}, then the market resolves to Yes.` })),
    ];
    // A season that only the text names is compared with the title first.
    const other = /2026–27|2024-25/.test(condition) ? 'contradictory' : 'payoff_contradicted';
    expect(found).toEqual([other, 'payoff_contradicted']);
  });

  it.each(SILENT)('leaves the rules unread on both venues when it pays if %s', (condition) => {
    expect([
      verdict(cupB({ rules: yes(condition) })),
      verdict(cupA({ rules: `If ${condition}, then the market resolves to Yes.` })),
    ]).toEqual(['unread', 'unread']);
  });

  it('contradicts when it pays No on the asked outcome, but not when it pays No once that is impossible', () => {
    const no = 'This market will resolve to "No" if Arsenal wins the 2025–26 English Premier League.';
    expect(verdict(cupB({ rules: no }))).toBe('payoff_contradicted');
    const impossible =
      'If at any point it becomes impossible for the listed team to win, this market will resolve immediately to "No".';
    expect(verdict(cupB({ rules: `${yes(AGREES[0] ?? '')}\n\n${impossible}` }))).toBe('read');
  });
});

describe('a negated title, question or label of a futures listing', () => {
  it.each<Omit<Texts, 'rules'>>([
    { question: 'Will Arsenal not win the 2025–26 English Premier League?' },
    { question: 'Will Arsenal fail to win the 2025–26 English Premier League?' },
    { question: "Won't Arsenal win the 2025–26 English Premier League?" },
    { question: 'Will Arsenal lose the 2025–26 English Premier League?' },
    { question: 'Will Chelsea win the 2025–26 English Premier League?' },
    { title: 'English Premier League Winner 2025-26: who will not win' },
    { label: 'Not Arsenal' },
  ])('excludes the listing: %j', (texts) => {
    const rules = yes('Arsenal wins the 2025–26 English Premier League');
    expect(verdict(cupB({ ...texts, rules }))).toMatch(/payoff_contradicted|no question/);
    expect(verdict(cupA({ ...texts, rules }))).toMatch(/payoff_contradicted|no question|contradictory/);
  });
});

describe('the payoff check of awards of persons', () => {
  const mvp = (rules: string, label = 'Nikola Jokic') =>
    outrightB(
      {
        slug: 'nba-mvp-694',
        title: 'NBA MVP 2025-26',
        markets: [
          marketB(`Will ${label} win the 2025–2026 NBA MVP?`, { groupItemTitle: label, description: rules }),
          marketB('Will Luka Doncic win the 2025–2026 NBA MVP?', {
            groupItemTitle: 'Luka Doncic',
            description: yes('Luka Doncic wins the 2025–2026 NBA MVP'),
          }),
        ],
      },
      now,
    )[0];

  it.each([
    ['Nikola Jokic wins the 2025–2026 NBA MVP', 'read'],
    ['Nikola Jokić is named the NBA MVP for the 2025-26 regular season', 'read'],
    ['Nikola Jokic wins the Most Valuable Player award for the 2025-26 National Basketball Association season', 'read'],
    ['Luka Doncic wins the 2025–2026 NBA MVP', 'payoff_contradicted'],
    ['Nikola Jokic wins the 2025–2026 NBA Finals MVP', 'payoff_contradicted'],
    ['Nikola Jokic wins the 2025–2026 NBA Defensive Player of the Year', 'payoff_contradicted'],
    ['Nikola Jokic is nominated for the 2025–2026 NBA MVP', 'payoff_contradicted'],
    ['Nikola Jokic is a finalist for the 2025–2026 NBA MVP', 'payoff_contradicted'],
    ['Nikola Jokic wins the 2026–27 NBA MVP', 'contradictory'],
  ])('returns the expected result for "%s": %s', (condition, expected) => {
    expect(verdict(mvp(yes(condition)))).toBe(expected);
  });

  it('parses a name with initials completely', () => {
    expect(verdict(mvp(yes('C.J. McCollum wins the 2025–2026 NBA MVP'), 'C.J. McCollum'))).toBe('read');
  });
});

describe('the payoff check of a division, a conference and a relegation', () => {
  const race = (ticker: string, title: string, question: string, rules: string) =>
    verdict(
      outrightA(
        {
          event_ticker: ticker,
          title,
          markets: [
            { ticker: `${ticker}-X`, title: question, yes_sub_title: runnerOf(question), rules_primary: rules },
          ],
        },
        now,
      )[0],
    );
  const runnerOf = (question: string) => /^Will (.+?) (?:win|be)/.exec(question)?.[1] ?? '';

  it.each([
    ['Kansas City wins the Pro Football AFC West Division', 'read'],
    ['Kansas City wins the Pro Football NFC West Division', 'payoff_contradicted'],
    ['Kansas City wins the Pro Football AFC Championship', 'payoff_contradicted'],
    ['Kansas City does not win the Pro Football AFC West Division', 'payoff_contradicted'],
  ])('returns the expected result for the AFC West and "%s": %s', (condition, expected) => {
    const text = `If ${condition}, then the market resolves to Yes.`;
    expect(
      race(
        'KXNFLAFCWEST-27',
        'AFC West Division Winner',
        'Will Kansas City win the Pro Football AFC West Division?',
        text,
      ),
    ).toBe(expected);
  });
});

describe('the season of a listing', () => {
  const mvp = (slug: string, condition: string) =>
    outrightB(
      {
        slug,
        title: 'AL MVP',
        markets: [
          marketB(`Aaron Judge wins the AL MVP for the ${condition} regular season.`, {
            slug: `${slug}-w-aarjud`,
            description: yes(
              `Aaron Judge wins the American League MVP award for the ${condition} Major League Baseball regular season`,
            ),
          }),
        ],
      },
      now,
    )[0];

  it('comes from question and text; another year in the slug only makes the pair a candidate', () => {
    const other = mvp('mlb-al-mvp-2026-11-12', '2027');
    expect([other?.identity.year, other?.identity.year_by, other?.excluded]).toEqual([2027, 'inferred', null]);
    const same = mvp('mlb-al-mvp-2026-11-12', '2026');
    expect([same?.identity.year, same?.identity.year_by, same?.excluded]).toEqual([2026, 'text', null]);
  });

  it('is not changed by the day in a slug when it spans two years', () => {
    const parsed = outrightB(
      {
        slug: 'nba-mvp-2026-05-20',
        title: 'NBA MVP',
        markets: [
          marketB('Nikola Jokic wins the NBA MVP for the 2026-27 regular season.', {
            slug: 'nba-mvp-2026-05-20-w-nikjok',
            description: yes('Nikola Jokic wins the NBA MVP for the 2026-27 regular season'),
          }),
        ],
      },
      now,
    )[0];
    expect(parsed?.identity.year).toBe(2027);
  });

  it('comes from the text before an end date, and a text that contradicts the title excludes the listing', () => {
    expect(
      cupB({ title: 'English Premier League Winner', rules: yes('Arsenal wins the 2025–26 English Premier League') })
        ?.identity.year,
    ).toBe(2026);
    expect(
      verdict(cupB({ title: 'English Premier League Winner 2026-27', rules: yes('Arsenal wins the Premier League') })),
    ).toBe('contradictory');
  });
});
