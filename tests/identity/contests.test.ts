import { describe, expect, it } from 'vitest';
import { parseChart, titleOnly } from '../../functions/ingest/identity/outright/chart.ts';
import { parseElection, partyOf } from '../../functions/ingest/identity/outright/contest.ts';
import { contestTerms } from '../../functions/ingest/identity/outright/contest_terms.ts';
import { parseMention, wordKey } from '../../functions/ingest/identity/outright/mention.ts';
import { unconfirmedRaceA, unconfirmedRaceB } from '../../functions/ingest/identity/outright/outright_unconfirmed.ts';

/**
 * Guarantee: a title of an election, a chart or words is read only if every word of it is known.
 * Titles of both venues that ask the same have the same contest.
 */

describe('the title of an election', () => {
  it.each([
    ['OH-08 House winner?', 'OH-08 House Election Winner', 'election|house|oh-08|general'],
    ['which party will win the house race for ca-2?', 'CA-02 House Election Winner', 'election|house|ca-02|general'],
    ['Delaware Senate winner? (2028)', 'Delaware Senate Election Winner', 'election|senate|delaware|general'],
    [
      'Which party will win the U.S. Senate?',
      'Which party will win the Senate in 2026?',
      'election|control|senate|general',
    ],
    [
      'West Virginia Governor winner?',
      'West Virginia Governor Election Winner',
      'election|governor|west-virginia|general',
    ],
    [
      'Georgia Republican Governor nominee?',
      'Georgia Governor Republican Primary Winner',
      'election|governor|georgia|primary|republican',
    ],
    ['TX-18 Democratic nominee?', 'TX-18 Democratic Primary Winner', 'election|house|tx-18|primary|democratic'],
    ['CA-14 special election winner', 'CA-14 Special Election Winner?', 'election|house|ca-14|special'],
    [
      'Who will win the 2026 DC Democratic Mayoral Primary?',
      'Who will win the 2026 Democratic D.C. Mayoral Primary?',
      'election|mayor|dc|primary|democratic',
    ],
  ])('%s and %s have one contest', (a, b, contest) => {
    expect([parseElection(a), parseElection(b)]).toEqual([contest, contest]);
  });

  it.each([
    'NY-12 Democratic primary: 2nd place',
    'Georgia Senate Republican Primary First Round Winner',
    'Texas Republican Senate Runoff: Margin of Victory',
    'CA-34 primary: first place',
    'CA-34 Primary Winners',
    'Alaska House winner?',
    'Brazil Presidential election winner?',
    'Virginia and Maine Governor winner?',
    'Ohio Senate and Governor winner?',
    'How many House seats will Democrats win in Utah?',
    'OH-08 State Senate winner?',
    'ZZ-08 House winner?',
  ])('%s has no contest', (title) => {
    expect(parseElection(title)).toBeNull();
  });

  it('has a state house apart from the House, and a special election apart from a regular one', () => {
    expect(parseElection('Georgia State House winner?')).toBe('election|state-house|georgia|general');
    expect(parseElection('Which party will win the House?')).toBe('election|control|house|general');
    expect(parseElection('CA-14 House winner?')).not.toBe(parseElection('CA-14 special election winner'));
  });

  it('knows a party by its words, never by one letter', () => {
    expect(['Democratic (DFL) party', 'Democrat', 'Republican Party', 'GOP'].map(partyOf)).toEqual([
      'democratic',
      'democratic',
      'republican',
      'republican',
    ]);
    expect(['D', 'R', 'Independent', 'Democratic Alliance', 'Liberal Democrats'].map(partyOf)).toEqual(
      Array(5).fill(null),
    );
  });
});

describe('the year of an election', () => {
  const partiesA = (ticker: string, title: string, sub_title: string) =>
    unconfirmedRaceA(
      {
        event_ticker: ticker,
        title,
        sub_title,
        category: 'Elections',
        markets: ['Democratic party', 'Republican party'].map((yes_sub_title, at) => ({
          ticker: `${ticker}-${at}`,
          yes_sub_title,
        })),
      },
      { now: '2026-05-14T00:00:00Z' },
    )[0];
  const partiesB = (slug: string, title: string, endDate: string) =>
    unconfirmedRaceB({
      slug,
      title,
      endDate,
      markets: ['Democrat', 'Republican', 'D', 'Person AK', 'Other'].map((groupItemTitle) => ({
        groupItemTitle,
        conditionId: `0x${groupItemTitle}`,
        outcomes: '["Yes", "No"]',
        clobTokenIds: `["${groupItemTitle}:yes", "${groupItemTitle}:no"]`,
      })),
    })[0];
  const years = (question: ReturnType<typeof partiesA>) =>
    (question?.identity.evidence as { years: number[] } | undefined)?.years;

  it('is that of the ticker, the titles and the slug, if all of them agree', () => {
    expect(years(partiesA('SENATEIA-26', 'Iowa Senate winner?', 'In 2026'))).toEqual([2026]);
    expect(years(partiesA('GOVPARTYNH-28', 'New Hampshire Governor winner?', 'In 2026'))).toEqual([]);
    expect(years(partiesB('iowa-senate', 'Iowa Senate Election Winner', '2026-11-03T00:00:00Z'))).toEqual([2026]);
    expect(
      years(partiesB('iowa-senate-winner-2026', 'Iowa Senate Election Winner 2028', '2026-11-03T00:00:00Z')),
    ).toEqual([]);
  });

  it('comes with both parties, without free seats, in the category politics', () => {
    const question = partiesB('iowa-senate', 'Iowa Senate Election Winner', '2026-11-03T00:00:00Z');
    expect(question?.legs.map((leg) => leg.outcome_key)).toEqual(['democratic', 'republican']);
    expect(question).toMatchObject({ family: 'outright', category: 'politics', excluded: 'unconfirmed_league' });
    expect(question?.identity.names_person).toBeUndefined();
  });

  it('follows the district and the party in the ticker of a primary', () => {
    const primary = (ticker: string) =>
      unconfirmedRaceA(
        {
          event_ticker: ticker,
          title: 'TX-38 Republican nominee?',
          markets: ['Jon Bonck', 'Shelly deZevallos', 'Michael Pratt'].map((yes_sub_title, at) => ({
            ticker: `${ticker}-${at}`,
            yes_sub_title,
          })),
        },
        { now: '2026-05-14T00:00:00Z' },
      )[0];
    expect(years(primary('KXTXPRIMARY-38R26'))).toEqual([2026]);
    expect(primary('KXTXPRIMARY-38R26')?.identity.names_person).toBe(true);
  });
});

describe('the title of spoken words', () => {
  it('has one key on both venues for a week, a month and an event', () => {
    const week = parseMention('What will Trump say this week?', 'Before May 18, 2026', '2026-05-18');
    expect(week).toEqual(parseMention('What will Trump say this week? (May 17)', null, '2026-05-17'));
    expect(week?.key).toBe('mention|donald trump|say||week|2026-05-17');
    expect(parseMention('What will Trump say this month?', 'Before Jun 1, 2026', '2026-06-01')).toEqual(
      parseMention('What will Trump say in May?', null, '2026-05-31'),
    );
    expect(
      parseMention('What will Karoline Leavitt say in the next press briefing?', null, '2026-04-30')?.event,
    ).toEqual(
      parseMention('What will Karoline Leavitt say during the next White House press briefing?', null, '2026-04-30')
        ?.event,
    );
  });

  it.each([
    ['another week', 'What will Trump say this week? (May 24)', '2026-05-24'],
    ['another verb', 'What will Trump post this week? (May 17)', '2026-05-17'],
    ['another speaker', 'What will Eric Trump say this week? (May 17)', '2026-05-17'],
    ['another kind of words', 'What nicknames will Trump say this week? (May 17)', '2026-05-17'],
  ])('has another key for %s', (_name, title, day) => {
    const key = parseMention('What will Trump say this week?', 'Before May 18, 2026', '2026-05-18')?.key;
    expect(parseMention(title, null, day)?.key).not.toBe(key);
  });

  it('compares alternatives in any order, and counts of a word as other words', () => {
    expect(wordKey('Oil / Gas / Gasoline')).toBe(wordKey('Gas / Oil / Gasoline'));
    expect(wordKey('Oil / Gas')).not.toBe(wordKey('Oil / Gas / Gasoline'));
    expect(wordKey('Fraud (3+ times)')).not.toBe(wordKey('Fraud'));
  });
});

describe('the title of a chart', () => {
  it('has one key on both venues', () => {
    const week = parseChart('#1 on the Billboard 200 chart for the Week of May 23, 2026?', '2026-05-23');
    expect(week).toEqual(parseChart('Billboard 200 #1 Album Week of May 23', '2026-05-19'));
    expect(week?.day).toBe('2026-05-23');
    expect(parseChart('Top US Netflix Movie this week?', null)?.key).toBe(
      parseChart('What will be the top US Netflix movie this week?', null)?.key,
    );
  });

  it.each([
    'Top Global Netflix Movie this week?',
    '#2 US Netflix Movie this week?',
    'Top US Netflix Show this week?',
    'Top US Netflix Movie this month?',
    'Top US Netflix Movie premiere this week?',
  ])('%s asks something else than the top US movie of the week', (title) => {
    expect(parseChart(title, null)?.key).not.toBe(parseChart('Top US Netflix Movie this week?', null)?.key);
  });

  it('leaves the artist out of the key of a song', () => {
    expect(titleOnly('Drop Dead - Olivia Rodrigo')).toBe('Drop Dead');
  });
});

describe('the terms of a contest', () => {
  it('state who decides an election, its runoff, the party of the winner and the last day', () => {
    const b =
      'This market will resolve according to the winner of the 2026 midterm Georgia U.S. Senate election, inclusive of any run-offs. ' +
      'A candidate shall be considered to represent a party in the event that he or she is the nominee of the party. ' +
      'The resolution source for this market is the Associated Press, Fox News, and NBC. ' +
      'If all three sources have not called the race by the inauguration date, the person who is inaugurated decides. ' +
      'If no winner is known by July 31, 2027, this market will resolve to "Other".';
    expect(contestTerms('election', b)).toEqual({
      kind: 'election',
      decided_by: 'called+in_office',
      runoff: 'included',
      special: 'regular',
      affiliation: 'nominee',
      deadline: '2027-07-31',
      other: 'named',
    });
    const a =
      'If a representative of the Republican party is sworn in as a Senator of Georgia for the term beginning in 2027, then the market resolves to Yes.';
    expect(contestTerms('election', a)).toEqual({ kind: 'election', decided_by: 'in_office', affiliation: 'member' });
  });

  it('state for words their forms, compounds, the proof and an event that does not take place', () => {
    const text =
      'Plural and possessive forms will count toward the resolution of this market, however other forms will NOT count. ' +
      'Instances where the term is used in a compound word will count regardless of context. ' +
      'If the event is cancelled, this market will resolve to "No". ' +
      'The resolution source will be a video of the event.';
    expect(contestTerms('mention', text)).toEqual({
      kind: 'mention',
      forms: 'plural_and_possessive',
      compound: 'included',
      transcript: 'video',
      cancelled: 'no',
    });
  });

  it('state for a chart its source, the clock time and corrections', () => {
    const text =
      'Netflix is expected to update its Top 10 Movies list on top10.netflix.com on Tuesday, May 26, 2026, 3:00 PM ET. ' +
      'Any revision after that will not be considered.';
    expect(contestTerms('chart', text)).toEqual({
      kind: 'chart',
      source: 'netflix',
      cut_off: '15:00 ET',
      revisions: 'ignored',
    });
  });

  it('are the kind of contest alone where the text is missing', () => {
    expect(contestTerms('election', null)).toEqual({ kind: 'election' });
  });
});
