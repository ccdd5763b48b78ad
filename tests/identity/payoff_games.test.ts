import { describe, expect, it } from 'vitest';
import { questionsOfVenueA } from '../../functions/ingest/identity/venue_a.ts';
import { questionsOfVenueB } from '../../functions/ingest/identity/venue_b.ts';

/**
 * Guarantee: what a game contract pays on comes from its own text and titles. A text that agrees
 * keeps the question as the fields state it. A text without a payoff leaves a candidate. A text or
 * title that pays something else excludes it.
 */

const NOW = { now: '2026-01-10T12:00:00Z' };
type Read = 'read' | 'unread' | 'payoff_contradicted' | 'part_of_game' | 'contradictory' | 'gone';

/** `gone`: the listing asks for no winner. */
const outcome = (questions: ReturnType<typeof questionsOfVenueA>['questions'], family = 'moneyline'): Read => {
  const found = questions.filter((one) => one.family === family);
  const best = found.find((one) => one.excluded === null) ?? found[0];
  if (best === undefined) return 'gone';
  return (best.excluded ?? best.terms.rules) as Read;
};

const SAC =
  'If Sacramento wins the Houston at Sacramento professional basketball game originally scheduled for Jan 11, 2026, then the market resolves to Yes.';

/** The game of Houston at Sacramento on venue_a. `primary` is the text of the Houston contract. */
const nbaA = (primary: string, more: { title?: string; market?: string; label?: string; other?: string } = {}): Read =>
  outcome(
    questionsOfVenueA(
      {
        event_ticker: 'KXNBAGAME-26JAN11HOUSAC',
        series_ticker: 'KXNBAGAME',
        title: more.title ?? 'Houston at Sacramento',
        markets: [
          {
            ticker: 'KXNBAGAME-26JAN11HOUSAC-HOU',
            title: more.market ?? 'Houston at Sacramento Winner?',
            yes_sub_title: more.label ?? 'Houston',
            rules_primary: primary,
          },
          {
            ticker: 'KXNBAGAME-26JAN11HOUSAC-SAC',
            title: 'Houston at Sacramento Winner?',
            yes_sub_title: 'Sacramento',
            rules_primary: more.other ?? SAC,
          },
        ],
      },
      NOW,
    ).questions,
  );

/** The game of Rockets and Kings in one venue_b market. */
const nbaB = (
  text: string,
  more: { title?: string; question?: string; type?: string; group?: string; tags?: string[]; slug?: string } = {},
): Read =>
  outcome(
    questionsOfVenueB(
      {
        slug: more.slug ?? 'nba-hou-sac-2026-01-11',
        title: more.title ?? 'Rockets vs. Kings',
        description: text,
        tags: (more.tags ?? []).map((label) => ({ label, slug: label.toLowerCase().replace(/ /g, '-') })),
        markets: [
          {
            slug: more.slug ?? 'nba-hou-sac-2026-01-11',
            conditionId: '0x1',
            question: more.question ?? more.title ?? 'Rockets vs. Kings',
            groupItemTitle: more.group,
            sportsMarketType: more.type ?? 'moneyline',
            outcomes: '["Rockets", "Kings"]',
            clobTokenIds: '["1", "2"]',
            description: text,
          },
        ],
      },
      NOW,
    ).questions,
  );

const both = (rockets: string, kings: string): string =>
  `In the upcoming NBA game, scheduled for January 11 at 9:00PM ET:\n${rockets}\n${kings}\nIf the game is postponed, this market will remain open until the game has been completed.`;
const ROCKETS = 'If the Rockets win, the market will resolve to "Rockets".';
const KINGS = 'If the Kings win, the market will resolve to "Kings".';

describe('the payoff check of a team on venue_a', () => {
  const GAME = 'the Houston at Sacramento professional basketball game originally scheduled for Jan 11, 2026';
  it.each<[string, Read]>([
    [`If Houston wins ${GAME}, then the market resolves to Yes.`, 'read'],
    [`If the Houston Rockets are declared the winner of ${GAME}, then the market resolves to Yes.`, 'read'],
    [`The market resolves to "Yes" if Houston defeats Sacramento in ${GAME}.`, 'read'],
    [`If Sacramento wins ${GAME}, then the market resolves to Yes.`, 'payoff_contradicted'],
    [`If Houston loses ${GAME}, then the market resolves to Yes.`, 'payoff_contradicted'],
    [`If Houston does not win ${GAME}, then the market resolves to Yes.`, 'payoff_contradicted'],
    [`If Houston fails to win ${GAME}, then the market resolves to Yes.`, 'payoff_contradicted'],
    [`If Houston wins ${GAME}, then the market resolves to No.`, 'payoff_contradicted'],
    [`If Houston wins the first half of ${GAME}, then the market resolves to Yes.`, 'payoff_contradicted'],
    [`If Houston leads at halftime of ${GAME}, then the market resolves to Yes.`, 'payoff_contradicted'],
    [`If Houston scores first in ${GAME}, then the market resolves to Yes.`, 'payoff_contradicted'],
    [`If Houston wins ${GAME} by more than 10.5 points, then the market resolves to Yes.`, 'payoff_contradicted'],
    [
      `If Houston wins ${GAME} and both teams score 100 points, then the market resolves to Yes.`,
      'payoff_contradicted',
    ],
    [
      'If Houston wins the Houston vs Sacramento first round series in the 2026 NBA Playoffs, then the market resolves to Yes.',
      'payoff_contradicted',
    ],
    ['If Houston wins the 2026 Pro Basketball Finals, then the market resolves to Yes.', 'payoff_contradicted'],
    [
      'If Houston wins the Houston at Dallas professional basketball game originally scheduled for Jan 11, 2026, then the market resolves to Yes.',
      'payoff_contradicted',
    ],
    [
      'If Boston wins the Houston at Sacramento professional basketball game, then the market resolves to Yes.',
      'payoff_contradicted',
    ],
    ['If Houston wins Game 3 of the Houston vs Sacramento series, then the market resolves to Yes.', 'unread'],
    ['This market resolves by the official result of the league.', 'unread'],
  ])('checks the text "%s"', (text, expected) => {
    expect(nbaA(text)).toBe(expected);
  });

  it.each<[string, Parameters<typeof nbaA>[1], Read]>([
    ['a title that asks for the loser', { market: 'Houston at Sacramento Loser?' }, 'payoff_contradicted'],
    [
      'a question with "not"',
      { market: 'Will Houston not win the Houston at Sacramento game?' },
      'payoff_contradicted',
    ],
    ['a label with "Not"', { label: 'Not Houston' }, 'payoff_contradicted'],
    ['a title of a half', { title: 'Houston at Sacramento: 1st Half Winner?' }, 'part_of_game'],
    ['a market of a quarter', { market: 'Houston at Sacramento 3rd Quarter Winner?' }, 'part_of_game'],
    [
      'the other contract pays Houston as well',
      { other: `If Houston wins ${GAME}, then the market resolves to Yes.` },
      'payoff_contradicted',
    ],
    ['the other contract carries no text', { other: '' }, 'read'],
  ])('checks the listing with %s', (_name, more, expected) => {
    const read = nbaA(`If Houston wins ${GAME}, then the market resolves to Yes.`, more);
    // A label that no longer names a team may exclude the listing by itself.
    if (more?.label !== undefined) expect(read).not.toBe('read');
    else expect(read).toBe(expected);
  });

  it('agrees with a numbered game only when the title has the same number', () => {
    const third = 'If Houston wins Game 3 of the Houston vs Sacramento series, then the market resolves to Yes.';
    const other = third.replace('If Houston', 'If Sacramento');
    expect(nbaA(third, { title: 'Game 3: Houston at Sacramento', other })).toBe('read');
    expect(nbaA(third, { title: 'Game 2: Houston at Sacramento', other })).toBe('payoff_contradicted');
  });
});

describe('the payoff check of two outcomes on venue_b', () => {
  it.each<[string, string, Read]>([
    ['the recorded form', both(ROCKETS, KINGS), 'read'],
    [
      'a description of the winner',
      'This market will resolve to the winner of the NBA game between the Rockets and the Kings scheduled for January 11.',
      'read',
    ],
    [
      'the outcome before its condition',
      'This market will resolve to "Rockets" if the Rockets win the game, and to "Kings" if the Kings win it.',
      'read',
    ],
    [
      'one condition and the rest',
      'If the Rockets win, the market will resolve to "Rockets". Otherwise, the market will resolve to "Kings".',
      'read',
    ],
    [
      'full names',
      both(
        'If the Houston Rockets win, the market will resolve to "Rockets".',
        'If the Sacramento Kings win, the market will resolve to "Kings".',
      ),
      'read',
    ],
    [
      'swapped labels',
      both(
        'If the Rockets win, the market will resolve to "Kings".',
        'If the Kings win, the market will resolve to "Rockets".',
      ),
      'payoff_contradicted',
    ],
    [
      'one swapped label',
      both(ROCKETS, 'If the Rockets win, the market will resolve to "Kings".'),
      'payoff_contradicted',
    ],
    [
      'the loser is paid',
      both(
        'If the Rockets lose, the market will resolve to "Rockets".',
        'If the Kings lose, the market will resolve to "Kings".',
      ),
      'payoff_contradicted',
    ],
    [
      'the loser in a description',
      'This market will resolve to the team that loses the NBA game scheduled for January 11 at 9:00PM ET.',
      'payoff_contradicted',
    ],
    [
      'the half-time leader',
      'This market will resolve to the team that leads at the end of the first half of the NBA game scheduled for January 11.',
      'payoff_contradicted',
    ],
    [
      'the leader at the break',
      both(
        'If the Rockets are ahead at halftime, the market will resolve to "Rockets".',
        'If the Kings are ahead at halftime, the market will resolve to "Kings".',
      ),
      'payoff_contradicted',
    ],
    ['the first to score', 'This market will resolve to the team that scores first.', 'payoff_contradicted'],
    ['a scope of a half', `${both(ROCKETS, KINGS)}\nThis market refers only to the first half.`, 'payoff_contradicted'],
    [
      'points of a half alone',
      `${both(ROCKETS, KINGS)}\nOnly points scored during the 1st Half count towards this market.`,
      'payoff_contradicted',
    ],
    [
      'a series',
      'This market will resolve to the team that wins the 2026 NBA playoff series between the Rockets and the Kings.',
      'payoff_contradicted',
    ],
    [
      'a margin',
      both('If the Rockets win by 5 or more points, the market will resolve to "Rockets".', KINGS),
      'payoff_contradicted',
    ],
    [
      'other opponents',
      'This market refers to the NBA game between the Rockets and the Celtics.\nIf the Rockets win, this market will resolve to "Rockets". Otherwise to "Kings".',
      'payoff_contradicted',
    ],
    [
      'regulation time only, which is a risk and no contradiction',
      both(
        'If the Rockets win in regulation, this market resolves to "Rockets".',
        'If the Kings win in regulation, this market resolves to "Kings".',
      ),
      'read',
    ],
    ['one outcome alone', ROCKETS, 'unread'],
    [
      'no payoff sentence',
      'In the upcoming NBA game, scheduled for January 11. The market resolves by the official box score.',
      'unread',
    ],
    [
      'a tie for one side is a tie clause',
      both('If the Rockets win, or if the score is level after overtime, the market will resolve to "Rockets".', KINGS),
      'read',
    ],
  ])('checks the text with %s', (_name, text, expected) => {
    expect(nbaB(text)).toBe(expected);
  });

  it.each<[string, Parameters<typeof nbaB>[1]]>([
    ['a title with "lose"', { title: 'Rockets vs. Kings: Who will lose?' }],
    ['an event titled after a half, under the main slug', { title: '1st Half Winner: Rockets vs. Kings' }],
    [
      'a question of a quarter under a bare title',
      { title: 'Rockets vs. Kings', question: 'Rockets vs. Kings: 1Q Winner' },
    ],
    ['a group title of a half', { group: '1H Winner' }],
    ['a type of a half', { type: 'first_half_moneyline' }],
    ['half-time in the title', { title: 'Rockets vs. Kings - Halftime Result' }],
  ])('asks no winner of the whole game for %s', (_name, more) => {
    expect(['payoff_contradicted', 'part_of_game', 'gone']).toContain(nbaB(both(ROCKETS, KINGS), more));
  });

  it.each<[string, string]>([
    ['atp-cerundo-ruud-2026-05-20', 'Set 1 Winner: Francisco Cerundolo vs Casper Ruud'],
    ['cs2-faze-navi-2026-05-21', 'Counter-Strike: FaZe vs NaVi - Map 1 Winner'],
    ['lol-t1-gen-2026-05-21', 'LoL: T1 vs Gen.G - Game 2 Winner'],
  ])('parses %s with the title "%s" as a part of a game', (slug, title) => {
    const names = / ?([\w.]+(?: \w+)?) vs ([\w.]+(?: \w+)??)(?: -|$)/.exec(title.replace(/^.*?: /, ''));
    const outcomes = [names?.[1] ?? '', names?.[2] ?? ''];
    const market = {
      slug,
      conditionId: '0x1',
      question: title,
      outcomes: JSON.stringify(outcomes),
      clobTokenIds: '["1","2"]',
    };
    const read = questionsOfVenueB({ slug, title, markets: [market] }, NOW).questions;
    expect(['part_of_game', 'gone']).toContain(outcome(read));
    expect(read.filter((one) => one.family === 'moneyline' && one.excluded === null)).toEqual([]);
  });
});

it('resolves a team whose name contains a verb by its name', () => {
  const text =
    'If the Trail Blazers win, the market will resolve to "Trail Blazers".\nIf the Suns win, the market will resolve to "Suns".';
  const slug = 'nba-por-phx-2026-01-11';
  const market = {
    slug,
    conditionId: '0x1',
    question: 'Trail Blazers vs. Suns',
    sportsMarketType: 'moneyline',
    outcomes: '["Trail Blazers","Suns"]',
    clobTokenIds: '["1","2"]',
    description: text,
  };
  const event = { slug, title: 'Trail Blazers vs. Suns', markets: [market] };
  expect(outcome(questionsOfVenueB(event, NOW).questions)).toBe('read');
});

/** The Arsenal market of three on venue_b. */
const eplB = (text: string, question = 'Will Arsenal FC win on 2026-05-24?', group = 'Arsenal FC'): Read => {
  const one = (q: string, title: string, id: string, description: string) => ({
    slug: `epl-ars-che-2026-05-24-${id}`,
    conditionId: `0x${id}`,
    question: q,
    groupItemTitle: title,
    sportsMarketType: 'moneyline',
    outcomes: '["Yes", "No"]',
    clobTokenIds: JSON.stringify([`${id}y`, `${id}n`]),
    description,
  });
  const yes = (sentence: string) =>
    `In the upcoming game, scheduled for May 24 at 11:00AM ET:\n${sentence}\nOtherwise, this market will resolve to "No".`;
  return outcome(
    questionsOfVenueB(
      {
        slug: 'epl-ars-che-2026-05-24',
        title: 'Arsenal FC vs. Chelsea FC',
        markets: [
          one(question, group, 'ars', yes(text)),
          one(
            'Will Arsenal FC vs. Chelsea FC end in a draw?',
            'Draw (Arsenal FC vs. Chelsea FC)',
            'draw',
            yes('If the game ends in a draw, this market will resolve to "Yes".'),
          ),
          one(
            'Will Chelsea FC win on 2026-05-24?',
            'Chelsea FC',
            'che',
            yes('If Chelsea FC wins, this market will resolve to "Yes".'),
          ),
        ],
      },
      NOW,
    ).questions,
  );
};

describe('the payoff check of three Yes/No markets on venue_b', () => {
  it.each<[string, Read]>([
    ['If Arsenal FC wins, this market will resolve to "Yes".', 'read'],
    ['If the named result occurs, this market will resolve to "Yes".', 'read'],
    ['If the listed team wins, this market will resolve to "Yes".', 'read'],
    ['If Arsenal FC does not win, this market will resolve to "Yes".', 'payoff_contradicted'],
    ['If Arsenal FC fails to win, this market will resolve to "Yes".', 'payoff_contradicted'],
    ['If Chelsea FC wins, this market will resolve to "Yes".', 'payoff_contradicted'],
    ['If Arsenal FC wins, this market will resolve to "No".', 'payoff_contradicted'],
    ['If Arsenal FC wins or draws, this market will resolve to "Yes".', 'payoff_contradicted'],
    ['If the game ends in a draw, this market will resolve to "Yes".', 'payoff_contradicted'],
    ['If Arsenal FC leads at half time, this market will resolve to "Yes".', 'payoff_contradicted'],
    ['If Arsenal FC advances to the next round, this market will resolve to "Yes".', 'payoff_contradicted'],
    ['If Arsenal FC wins to nil, this market will resolve to "Yes".', 'payoff_contradicted'],
    ['If Arsenal FC wins 2-0, this market will resolve to "Yes".', 'payoff_contradicted'],
    ['If Arsenal FC has the most corners, this market will resolve to "Yes".', 'unread'],
  ])('checks the Yes/No text "%s"', (text, expected) => {
    expect(eplB(text)).toBe(expected);
  });

  it.each([
    ['Will Arsenal FC not win on 2026-05-24?', 'Arsenal FC'],
    ['Will Arsenal FC fail to win on 2026-05-24?', 'Arsenal FC'],
    ['Will Arsenal FC lose on 2026-05-24?', 'Arsenal FC'],
    ['Will Arsenal FC win on 2026-05-24?', 'Arsenal FC not to win'],
  ])('excludes the negated question "%s" with the group title "%s"', (question, group) => {
    expect(eplB('If Arsenal FC wins, this market will resolve to "Yes".', question, group)).not.toBe('read');
  });
});

describe('words of another competition', () => {
  const TEXT = both(ROCKETS, KINGS);
  it.each<[string, Parameters<typeof nbaB>[1]]>([
    ['a tag of women', { tags: ['Womens Basketball'] }],
    ['a tag of the G League', { tags: ['NBA G League'] }],
    ['a title of the Summer League', { title: 'NBA Summer League: Rockets vs. Kings' }],
    ['a tag of video games', { tags: ['eBasketball'] }],
    ['a simulated league', { tags: ['Simulated Reality League'] }],
    ['an all-star game', { tags: ['All-Star Game'] }],
    ['3x3', { tags: ['3x3 Basketball'] }],
    ['wheelchairs', { tags: ['Wheelchair Basketball'] }],
    ['juniors', { tags: ['U19'] }],
    ['an unregistered prefix with the G League in the tags', { slug: 'nbagl-hou-sac-2026-01-11', tags: ['G-League'] }],
  ])('exclude a game when a field names another competition: %s', (_name, more) => {
    expect(['contradictory', 'gone']).toContain(nbaB(TEXT, more));
  });

  it.each<[string, string]>([
    ['in the intro', TEXT.replace('upcoming NBA game', 'upcoming NBA G League game')],
    ['in a sentence of its own', `${TEXT}\nThis is a game of the NBA Summer League.`],
    ['simulated', `${TEXT}\nThe game is a simulated game of NBA 2K26.`],
  ])('exclude a game when only the text names another competition: %s', (_name, text) => {
    expect(nbaB(text)).toBe('contradictory');
  });

  it.each<[string, string, Parameters<typeof nbaB>[1]]>([
    ['tags of the sport', TEXT, { tags: ['Sports', 'Basketball', 'NBA', 'Games'] }],
    [
      'a source that covers women as well',
      `${TEXT}\nThe resolution source is the official website of the NBA, WNBA and NBA G League.`,
      {},
    ],
    ['an exchange that reserves rights', `${TEXT}\nThe exchange reserves the right to settle early.`, {}],
  ])('do not exclude the game with: %s', (_name, text, more) => {
    expect(nbaB(text, more)).toBe('read');
  });

  it('set competition_by to inferred when only the teams imply the competition', () => {
    const [one] = questionsOfVenueB(
      {
        slug: 'zzz-hou-sac-2026-01-11',
        title: 'Rockets vs. Kings',
        markets: [
          {
            slug: 'zzz-hou-sac-2026-01-11',
            conditionId: '0x1',
            question: 'Rockets vs. Kings',
            sportsMarketType: 'moneyline',
            outcomes: '["Rockets","Kings"]',
            clobTokenIds: '["1","2"]',
          },
        ],
      },
      NOW,
    ).questions.filter((q) => q.family === 'moneyline');
    expect(one?.identity.competition_by).toBe('inferred');
  });

  it.each<[string, string | undefined]>([
    ['ODI Series Australia vs India: India vs Australia', 'odi'],
    ['T20 Series Australia vs India: India vs Australia', 't20'],
    ['Australia vs India: India vs Australia', undefined],
  ])('parse the cricket format of "%s" as %s', (title, format) => {
    const slug = 'crint-ind-aus-2026-05-20';
    const [one] = questionsOfVenueB(
      {
        slug,
        title,
        markets: [
          {
            slug,
            conditionId: '0x1',
            question: title,
            sportsMarketType: 'moneyline',
            outcomes: '["India","Australia"]',
            clobTokenIds: '["1","2"]',
          },
        ],
      },
      NOW,
    ).questions.filter((q) => q.family === 'moneyline');
    expect(one?.identity.format).toBe(format);
  });
});
