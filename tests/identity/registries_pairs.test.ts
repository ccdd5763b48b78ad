import { describe, expect, it } from 'vitest';
import { questionsOfVenueA } from '../../functions/ingest/identity/venue_a.ts';
import { questionsOfVenueB } from '../../functions/ingest/identity/venue_b.ts';
import type { Question } from '../../functions/ingest/listing.ts';

/**
 * Invented listings as payloads of both venues: pairs that the registries must match, and listings
 * that they must separate.
 */

const context = { now: '2026-04-01T12:00:00Z' };
const winnerOf = (questions: readonly Question[]): Question | undefined =>
  questions.find((question) => question.family === 'moneyline');

function a(
  series: string,
  rest: string,
  title: string,
  teams: { [code: string]: string | null },
): Question | undefined {
  const event_ticker = `${series}-${rest}`;
  const markets = Object.entries(teams).map(([code, yes_sub_title]) => ({
    ticker: `${event_ticker}-${code}`,
    event_ticker,
    status: 'active',
    ...(yes_sub_title === null ? {} : { yes_sub_title }),
  }));
  return winnerOf(questionsOfVenueA({ event_ticker, series_ticker: series, title, markets }, context).questions);
}

const market = (slug: string, question: string, outcomes: string[], more: { [field: string]: string } = {}) => ({
  slug,
  question,
  conditionId: `0x${slug}`,
  outcomes: JSON.stringify(outcomes),
  clobTokenIds: JSON.stringify([`${slug}:0`, `${slug}:1`]),
  ...more,
});

function soccerB(slug: string, first: string, second: string, date: string): Question | undefined {
  const yesNo = ['Yes', 'No'];
  const markets = [
    market(`${slug}-1`, `Will ${first} win on ${date}?`, yesNo),
    market(`${slug}-x`, `Will ${first} vs. ${second} end in a draw?`, yesNo),
    market(`${slug}-2`, `Will ${second} win on ${date}?`, yesNo),
  ];
  return winnerOf(
    questionsOfVenueB({ slug, title: `${first} vs. ${second}`, eventDate: date, markets }, context).questions,
  );
}

function twoWayB(slug: string, first: string, second: string, date: string): Question | undefined {
  const title = `${first} vs. ${second}`;
  const markets = [market(slug, title, [first, second], { sportsMarketType: 'moneyline' })];
  return winnerOf(questionsOfVenueB({ slug, title, eventDate: date, markets }, context).questions);
}

const yesOf = (question: Question | undefined, contract: string): string | undefined =>
  question?.legs.find((leg) => leg.contract_id === contract)?.outcome_key;

describe('one game of two clubs', () => {
  it('has one key for short and full names, with each leg on its own team', () => {
    const kalshi = a('KXEGYPLGAME', '26APR04PHAGHA', 'Pharco vs El Mahallah', { PHA: 'Pharco', GHA: 'El Mahallah' });
    const poly = soccerB('egy1-phf-gem-2026-04-04', 'Pharco FC', 'Ghazl El Mahalla SC', '2026-04-04');
    expect(kalshi?.excluded).toBeNull();
    expect(poly?.key).toBe(kalshi?.key);
    expect(yesOf(poly, 'egy1-phf-gem-2026-04-04-2:0')).toBe(yesOf(kalshi, 'KXEGYPLGAME-26APR04PHAGHA-GHA'));
    expect(yesOf(poly, 'egy1-phf-gem-2026-04-04-1:0')).toBe(yesOf(kalshi, 'KXEGYPLGAME-26APR04PHAGHA-PHA'));
  });

  it('is found when the slug names no competition and the clubs share several', () => {
    const cup = a('KXCOPPAITALIAGAME', '26MAY13LAZINT', 'Lazio vs Inter', { LAZ: 'Lazio', INT: 'Inter', TIE: 'Tie' });
    const poly = soccerB(
      'ss-lazio-vs-fc-internazionale-milano-1',
      'SS Lazio',
      'FC Internazionale Milano',
      '2026-05-13',
    );
    expect(poly).toMatchObject({ key: cup?.key, excluded: null, identity: { competition_by: 'inferred' } });
  });

  it('is parsed when the labels of a cup tie name regulation time', () => {
    const labels = { BVB: 'Reg Time: Dortmund', BMU: 'Reg Time: Bayern Munich', TIE: 'Reg Time: Tie' };
    const tie = a('KXDFBPOKALGAME', '26APR22BVBBMU', 'Dortmund vs Bayern Munich', labels);
    const poly = soccerB('dfb-dor-bay-2026-04-22', 'BV Borussia 09 Dortmund', 'FC Bayern München', '2026-04-22');
    expect(tie?.excluded).toBeNull();
    expect(poly?.key).toBe(tie?.key);
    expect(tie?.legs.map((leg) => leg.outcome_key)).toEqual(poly?.legs.map((leg) => leg.outcome_key));
  });

  it('is found under a slug prefix that is not in the registry', () => {
    const kalshi = a('KXBELGIANPLGAME', '26MAY21RSCSTT', 'Anderlecht vs St. Truidense', {
      RSC: 'Anderlecht',
      STT: 'St. Truidense',
    });
    const poly = soccerB('zzz9-and-stt-2026-05-21', 'RSC Anderlecht', 'Sint-Truidense VV', '2026-05-21');
    expect(poly).toMatchObject({ key: kalshi?.key, identity: { competition_by: 'inferred' } });
  });

  it('is of no competition of several countries when the prefix is unknown and both clubs are of one', () => {
    // Both clubs are in uefa.json, and their league in no file.
    const besta = soccerB('bdk-vik-bre-2026-11-21', 'Vikingur', 'Breidablik', '2026-11-21');
    expect(besta).toMatchObject({ excluded: 'unconfirmed_league', competition: null });
    const titled = soccerB('vikingur-vs-breidablik-1', 'Vikingur', 'Breidablik', '2026-11-21');
    expect(titled?.excluded).toBeNull();
    // Clubs of two countries meet in a competition of several countries.
    const cup = soccerB('zzz9-psg-fla-2026-11-21', 'Paris Saint-Germain FC', 'CR Flamengo', '2026-11-21');
    expect(cup).toMatchObject({ excluded: null, identity: { competition_by: 'inferred' } });
  });

  it('is basketball when only two teams can win, and soccer when there is a draw', () => {
    const court = a('KXBSLGAME', '26MAY10FENGSN', 'Fenerbahce Istanbul vs Galatasaray SK', {
      FEN: 'Fenerbahce Istanbul',
      GSN: 'Galatasaray SK',
    });
    const pitch = a('KXSUPERLIGGAME', '26MAY10FENGAL', 'Fenerbahce vs Galatasaray', {
      FEN: 'Fenerbahce',
      GAL: 'Galatasaray',
    });
    const two = twoWayB('fenerbahce-vs-galatasaray-2', 'Fenerbahce', 'Galatasaray', '2026-05-10');
    const three = soccerB('fenerbahce-sk-vs-galatasaray-sk-3', 'Fenerbahçe SK', 'Galatasaray SK', '2026-05-10');
    expect(two?.key).toBe(court?.key);
    expect(three?.key).toBe(pitch?.key);
    expect(court?.key).not.toBe(pitch?.key);
  });
});

describe('listings that look alike', () => {
  it('give women of the same clubs another game', () => {
    const women = a('KXUCLWGAME', '26APR02BARRMA', 'Barcelona vs Real Madrid', {
      BAR: 'Barcelona',
      RMA: 'Real Madrid',
    });
    const men = a('KXLALIGAGAME', '26APR02BARRMA', 'Barcelona vs Real Madrid', {
      BAR: 'Barcelona',
      RMA: 'Real Madrid',
    });
    const uwcl = soccerB('uwcl-fcb-rma-2026-04-02', 'FC Barcelona', 'Real Madrid CF Femenino', '2026-04-02');
    expect(uwcl?.key).toBe(women?.key);
    expect(men?.key).not.toBe(women?.key);
    expect(soccerB('lal-fcb-rma-2026-04-02', 'FC Barcelona', 'Real Madrid CF Femenino', '2026-04-02')?.excluded).toBe(
      'unknown_alias',
    );
  });

  it('give a reserve team another key than its club', () => {
    const b = soccerB('es2-rso-eib-2026-04-02', 'Real Sociedad de Fútbol B', 'SD Eibar', '2026-04-02');
    const first = soccerB('lal-rso-eib-2026-04-02', 'Real Sociedad de Fútbol', 'SD Eibar', '2026-04-02');
    expect(b?.excluded).toBeNull();
    expect(b?.key).not.toBe(first?.key);
    expect(soccerB('bun-bay-dor-2026-04-02', 'FC Bayern München II', 'Borussia Dortmund', '2026-04-02')?.excluded).toBe(
      'unknown_alias',
    );
  });

  it('exclude a game when two clubs of the cup share the name', () => {
    const cup = a('KXCONMEBOLLIBGAME', '26APR02XXXFLA', 'Universidad Catolica vs Flamengo', {
      XXX: 'Universidad Catolica',
      FLA: 'Flamengo',
    });
    expect(cup?.excluded).toBe('ambiguous_alias');
  });

  it('separate two schools with one name by the words next to it, or exclude the game', () => {
    const florida = twoWayB('cfb-flam-mia-2026-09-10', 'Florida A&M Rattlers', 'Miami Hurricanes', '2026-09-10');
    const ohio = twoWayB('cfb-holy-miaoh-2026-09-12', 'Holy Cross Crusaders', 'Miami (OH) RedHawks', '2026-09-12');
    expect(florida?.identity.participants).toContain('college/miami-fl');
    expect(ohio?.identity.participants).toContain('college/miami-oh');
    const bare = a('KXNCAAFGAME', '26SEP12QQMM', 'Pittsburgh vs Miami', { QQ: 'Pittsburgh', MM: 'Miami' });
    expect(bare?.excluded).toBe('ambiguous_alias');
  });

  it('give a school in another sport another question', () => {
    const teams = { DUKE: 'Duke', UNC: 'North Carolina' };
    const court = a('KXNCAAMBGAME', '26MAR07DUKEUNC', 'Duke at North Carolina', teams);
    const field = a('KXNCAAMLAXGAME', '26MAR07DUKEUNC', 'Duke vs North Carolina', teams);
    const women = a('KXNCAAWBGAME', '26MAR07DUKEUNC', 'Duke at North Carolina', teams);
    expect(new Set([court?.key, field?.key, women?.key]).size).toBe(3);
    expect(twoWayB('duke-vs-north-carolina-9', 'Duke', 'North Carolina', '2026-03-07')).toBeUndefined();
  });
});
