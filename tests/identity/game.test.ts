import { describe, expect, it } from 'vitest';
import { gameKey, isUnparsed } from '../../functions/ingest/identity/game/game.ts';
import { parseGameA } from '../../functions/ingest/identity/game/game_a.ts';
import { parseGameB } from '../../functions/ingest/identity/game/game_b.ts';
import { partsA } from '../../functions/ingest/identity/game/parts_a.ts';
import { partsB } from '../../functions/ingest/identity/game/parts_b.ts';
import { parseTitleSides } from '../../functions/ingest/identity/names/participants.ts';
import { COMPETITIONS, type League } from '../../functions/ingest/identity/names/registry.ts';
import { a, b, listedA, listedB, NOW } from './game_fixtures.ts';

const league = (id: string): League => COMPETITIONS.get(id) as League;

describe('the winner of a part of a game', () => {
  const map = listedA('KXLOLMAP-26APR170700JDGNIP-2', 'lpl 2026: jd gaming vs. ninjas in pyjamas map 2', [
    ['JDG', 'jd gaming'],
    ['NIP', 'ninjas in pyjamas map 2'],
  ]);

  it('is excluded on venue_a and keeps the number of the part', () => {
    expect(a(map)).toBeUndefined();
    const [part] = partsA(map, NOW);
    expect(part).toMatchObject({ excluded: 'part_of_game', on_date: '2026-04-17', identity: { scope: 'map 2' } });
    expect(part?.identity.participants).toEqual(['lol/jd-gaming', 'lol/ninjas-in-pyjamas']);
    expect(
      partsA(listedA('KXATPSETWINNER-26APR16COBKOP-1', 'flavio cobolli vs vit kopriva: set 1 winner', []), NOW)[0]
        ?.identity.scope,
    ).toBe('set 1');
    expect(
      partsA(listedA('KXEPL1H-26MAY24WHULEE', 'West Ham vs Leeds United: First Half Winner', []), NOW)[0]?.identity
        .scope,
    ).toBe('half 1');
    expect(
      partsA(listedA('KXMLBF5-26MAY101340MINCLE', 'Minnesota vs Cleveland: First 5 Innings', []), NOW)[0]?.identity
        .scope,
    ).toBe('innings 1-5');
  });

  it('is excluded on venue_b when the type or only the words name the part', () => {
    const title = 'LoL: JD Gaming vs Ninjas in Pyjamas (BO3) - LPL';
    const event = listedB('lol-jdg-nip-2026-04-17', title, ['JD Gaming', 'Ninjas in Pyjamas']);
    const second = {
      ...event.markets[0],
      conditionId: '0xmap',
      slug: 'lol-jdg-nip-2026-04-17-game2',
      question: 'LoL: JD Gaming vs Ninjas in Pyjamas - Game 2 Winner',
    };
    for (const sportsMarketType of ['child_moneyline', null]) {
      const both = { ...event, markets: [{ ...second, sportsMarketType }, event.markets[0]] };
      expect(b(both)?.legs.map((leg) => leg.market_id)).toEqual([
        '0xlol-jdg-nip-2026-04-17',
        '0xlol-jdg-nip-2026-04-17',
      ]);
      expect(partsB(both, NOW)).toMatchObject([
        { question_id: 'venue_b:0xmap', excluded: 'part_of_game', identity: { scope: 'map 2' } },
      ]);
    }
    expect(b({ ...event, markets: [{ ...second, sportsMarketType: null }] })).toBeUndefined();
    expect(partsA(map, NOW)[0]?.key).toBe(partsB({ ...event, markets: [second] }, NOW)[0]?.key);
  });

  it('is parsed from an event of its own', () => {
    const event = {
      slug: 'epl-whu-lee-2026-05-24-halftime-result',
      title: 'West Ham United FC vs. Leeds United FC - Halftime Result',
      markets: [],
    };
    expect(partsB(event, NOW)).toMatchObject([{ excluded: 'part_of_game', identity: { scope: 'half 1' } }]);
    expect(b(event)).toBeUndefined();
  });

  it('parses "Game 1" of a series as a whole game', () => {
    expect(
      a(
        listedA('KXNBAGAME-26APR18ATLNYK', 'Game 1: Atlanta at New York', [
          ['ATL', 'Atlanta'],
          ['NYK', 'New York'],
        ]),
      )?.excluded,
    ).toBeNull();
  });
});

describe('the game of a listing', () => {
  const keyOf = (parsed: ReturnType<typeof parseGameB>): string | null =>
    parsed === null || isUnparsed(parsed) ? null : `${gameKey(parsed)} ${parsed.on_date}`;

  it('is the same for its winner and for a line, on either venue', () => {
    const line = parseGameA(
      { event_ticker: 'KXEPLTOTAL-26MAY10BURAVL', title: 'Aston Villa at Burnley: Totals', markets: [] },
      NOW,
      league('epl'),
    );
    const winner = parseGameA(
      { event_ticker: 'KXEPLGAME-26MAY10BURAVL', title: 'Burnley vs Aston Villa', markets: [] },
      NOW,
      league('epl'),
    );
    const main = parseGameB(
      { slug: 'epl-bur-ast-2026-05-10', title: 'Burnley FC vs. Aston Villa FC', markets: [] },
      NOW,
    );
    const side = parseGameB(
      {
        slug: 'epl-bur-ast-2026-05-10-more-markets',
        title: 'Burnley FC vs. Aston Villa FC - More Markets',
        markets: [],
      },
      NOW,
    );
    const bare = parseGameB(
      {
        slug: 'burnley-fc-vs-aston-villa-fc-more-markets-422643',
        title: 'Burnley FC vs. Aston Villa FC - More Markets',
        eventDate: '2026-05-10',
        markets: [],
      },
      NOW,
    );
    expect(new Set([line, winner, main, side, bare].map(keyOf)).size).toBe(1);
    expect(keyOf(line)).not.toBeNull();
    expect([main, side, bare].map((parsed) => parsed !== null && !isUnparsed(parsed) && parsed.sibling)).toEqual([
      null,
      'more-markets',
      'more-markets',
    ]);
    expect(isUnparsed(line) ? null : [line.home, line.occasion]).toEqual(['england/burnley', '26MAY10']);
  });

  it('has teams resolved by codes when the names are ambiguous, and none when no code decides', () => {
    const parsed = parseGameA(
      { event_ticker: 'KXMLBTOTAL-26MAY101410NYYNYM', title: 'New York vs New York: Total Runs', markets: [] },
      NOW,
      league('mlb'),
    );
    expect(isUnparsed(parsed) ? null : parsed.teams).toEqual(['mlb/new-york-yankees', 'mlb/new-york-mets']);
    const open = parseGameA(
      { event_ticker: 'KXMLBTOTAL-26MAY101410XXXYYY', title: 'New York vs Chicago: Total Runs', markets: [] },
      NOW,
      league('mlb'),
    );
    expect(isUnparsed(open) && open.problem).toBe('unknown_alias');
  });

  it.each([
    ['Game 2: Cleveland at Detroit: Total Points', 'Cleveland', 'Detroit'],
    ['T20 Series South Africa vs. India, Women: South Africa vs India', 'South Africa', 'India'],
    [
      'UFC Fight Night: Alexander Hernandez vs. Rafa Garcia (Lightweight, Prelims)',
      'Alexander Hernandez',
      'Rafa Garcia',
    ],
    ['Counter-Strike: 5star vs FlyQuest (BO3) - Asian Champions League Group A', '5star', 'FlyQuest'],
    ['vct china 2026: edward gaming vs. jd gaming map 2', 'edward gaming', 'jd gaming'],
    ['Miami (OH) at Ohio', 'Miami (OH)', 'Ohio'],
  ])('has both names of the title %s', (title, first, second) => {
    expect(parseTitleSides(title)).toMatchObject({ first, second });
  });

  it('is not parsed from an event about the winner of a series', () => {
    const title = 'NHL Playoffs: Who Will Win Series? - Ducks vs. Golden Knights';
    expect(
      b(listedB('nhl-playoffs-who-will-win-series-ducks-vs-golden-knights-441234', title, ['Ducks', 'Golden Knights'])),
    ).toBeUndefined();
  });
});
