import { easternInstant, instant } from './eastern.ts';
import { type GameFacts, type GameRead, otherKeys, printedNames, speaksOfWomen, type Unread } from './game.ts';
import { sidesOfTitle, splitCodes, tellingApart, whichOf } from './participants.ts';
import { type Context, type Exclusion, earliest, urlOf } from './question.ts';
import { type League, type TeamId, teamsByName } from './registry.ts';
import { common } from './sets.ts';
import { stageOf } from './stage.ts';
import { sportsTerms } from './terms.ts';
import { gameTicker, seriesOf } from './ticker.ts';
import { record, records, rulesOfA, text, type Wire } from './wire.ts';

/**
 * Which game a venue_a event is about. `named` are the teams that its markets' own labels gave, where they name teams (a winner's
 * markets do, a total's do not); without them the title and the ticker's codes have to agree on two.
 */
export function gameOfA(
  event: Wire,
  context: Context,
  among: League,
  named: readonly TeamId[] = [],
): GameRead | Unread {
  const ticker = text(event.event_ticker) ?? '?';
  const facts = factsOfA(event, context, among);
  const names = sidesOfTitle(facts.title);
  const league = named.length > 0 || names === null ? among : tellingApart(among, [names.first, names.second]);
  const unread = (problem: Exclusion, detail: string): Unread => ({ league, problem, detail, facts });
  const read = gameTicker(ticker, league.rematch === 'same_day');
  if (read === null) return unread('unreadable_date', `no date in ${ticker}`);
  const teams =
    named.length === 0
      ? teamsOfTitle(league, facts.title, read.codes)
      : bothTeams(league, named, facts.title, read.codes);
  if (teams === null) return unread('unknown_alias', `teams of ${ticker}: ${named.join(', ') || 'none'}`);
  const clash = contradiction(league, teams, facts.title, read.codes);
  if (clash !== null) return unread('contradictory', clash);

  const markets = records(event.markets);
  const metadata = record(event.product_metadata);
  const rules = rulesOfA(markets);
  if (speaksOfWomen(league, teams, [facts.title, rules, text(metadata.competition)]))
    return unread('contradictory', 'the text speaks of women, the names are those of men');
  const sources = records(event.settlement_sources).concat(records(record(context.series).settlement_sources));
  const reporters = [...new Set(sources.map((one) => text(one.name) ?? '').filter((name) => name !== ''))];
  const start = startOf(ticker, context);
  const order = listingOrder(league, teams, facts.title, read.codes);
  const stage = stageOf(
    league,
    [text(metadata.competition), facts.title, rules],
    metadata.competition !== undefined,
    read.on_date,
  );
  return {
    venue: 'venue_a',
    event: ticker,
    league,
    stage,
    teams: order.teams,
    home: order.home,
    game_no: read.game_no,
    occasion: read.occasion,
    start_source: start.source,
    sibling: null,
    rules,
    terms: sportsTerms(rules, reporters, read.on_date),
    evidence: { competition_by: 'series' },
    printed: printedNames(league, order.teams, [
      ...markets.flatMap(labelsOf),
      names?.first ?? null,
      names?.second ?? null,
    ]),
    // Its titles print family names only.
    also: otherKeys({ league, stage, teams: order.teams }, names ? [names.first, names.second] : [], false),
    ...facts,
    on_date: read.on_date,
  };
}

/** Every way in which a winner's market prints the name that it pays on. */
export function labelsOf(market: Wire): string[] {
  const asked = /^will (?:the )?(.+?) win\b/i.exec(text(market.title) ?? '')?.[1];
  const ruled = /^if (?:the )?(.+?) wins\b/i.exec(text(market.rules_primary) ?? '')?.[1];
  // "Reg Time: Dortmund": cup ties are sold by what stands after ninety minutes, as every soccer game is.
  const label = text(market.yes_sub_title)?.replace(/^reg(?:ulation)?\.? time: /i, '');
  return [label, asked, ruled].filter((one): one is string => one != null);
}

/**
 * The two names, where the event has no title: "Will Ella Seidel win the Seidel vs Snigur: Round Of 32 match?" holds them between
 * "win the" and what kind of contest it is.
 */
function matchupOf(league: League, markets: readonly Wire[]): string | null {
  const kinds = [...league.words, ...league.venue_a.names, 'professional', 'pro', 'college', "women's", "men's"]
    .map((word) => word.replace(/[^a-z0-9' ]+/gi, '.'))
    .join('|');
  const kind = new RegExp(`\\s+(?:${kinds})\\b.*$|\\s+(?:match|game|fight)\\?$`, 'i');
  for (const market of markets) {
    const asked = text(market.title)?.replace(/^will .+? win the /i, '') ?? '';
    const names = sidesOfTitle(asked);
    if (names !== null && names.lead === null) return `${names.first} vs ${names.second.replace(kind, '')}`;
  }
  return null;
}

export function factsOfA(event: Wire, context: Context, league: League): GameFacts {
  const ticker = text(event.event_ticker) ?? '?';
  const markets = records(event.markets);
  return {
    title: text(event.title) ?? matchupOf(league, markets),
    on_date: gameTicker(ticker)?.on_date ?? null,
    start_at: startOf(ticker, context).at,
    close_at: earliest(markets.map((market) => instant(text(market.close_time)))),
    url: urlOf('venue_a', ticker, text(event.series_ticker) ?? seriesOf(ticker)),
  };
}

/** The start that a milestone gives, else the ticker's own clock. Other times of the event are ends in disguise (venues.md A3). */
function startOf(ticker: string, context: Context): { at: string | null; source: string | null } {
  const milestones = Array.isArray(context.milestones)
    ? records(context.milestones)
    : records(record(context.milestones).milestones);
  for (const milestone of milestones) {
    const about = [milestone.primary_event_tickers, milestone.related_event_tickers].flat();
    const at = instant(text(milestone.start_date));
    if (at !== null && (about.includes(ticker) || about.every((one) => one === undefined || one === null)))
      return { at, source: 'milestone' };
  }
  const read = gameTicker(ticker);
  const at = read?.clock ? easternInstant(read.on_date, read.clock.hour, read.clock.minute) : null;
  return at === null ? { at: null, source: null } : { at, source: 'ticker_time' };
}

/** The only two teams that the title's names and the ticker's codes allow together. */
function teamsOfTitle(league: League, title: string | null, codes: string): [TeamId, TeamId] | null {
  const names = sidesOfTitle(title);
  const cuts = league.open === undefined || names === null ? splitCodes(league, 'venue_a', codes) : [];
  const pairs = names
    ? [[teamsByName(league, names.first), teamsByName(league, names.second)] as const]
    : cuts.map(([first, second]) => [first, second] as const);
  const fits = (a: TeamId, b: TeamId): boolean =>
    cuts.length === 0 || cuts.some(([x, y]) => (x.has(a) && y.has(b)) || (x.has(b) && y.has(a)));
  const found = new Map<string, [TeamId, TeamId]>();
  for (const [firsts, seconds] of pairs) {
    for (const a of firsts) for (const b of seconds) if (a !== b && fits(a, b)) found.set([a, b].sort().join(), [a, b]);
  }
  const [only, ...more] = [...found.values()];
  return only !== undefined && more.length === 0 ? only : null;
}

/** The two teams of a game of which the markets named one or both. */
function bothTeams(
  league: League,
  named: readonly TeamId[],
  title: string | null,
  codes: string,
): [TeamId, TeamId] | null {
  const [a, b, ...more] = [...new Set(named)];
  if (a === undefined || more.length > 0) return null;
  if (b !== undefined) return [a, b];
  if (named.length > 1) return null;
  // One market of the two is listed: the other team is the title's or the ticker's other one.
  const names = sidesOfTitle(title);
  const may = new Set<TeamId>();
  if (names) {
    for (const [mine, theirs] of [
      [names.first, names.second],
      [names.second, names.first],
    ] as const) {
      if (teamsByName(league, mine).has(a)) for (const id of teamsByName(league, theirs)) if (id !== a) may.add(id);
    }
  }
  const cut = new Set<TeamId>();
  for (const [first, second] of splitCodes(league, 'venue_a', codes)) {
    if (first.has(a)) for (const id of second) cut.add(id);
    if (second.has(a)) for (const id of first) cut.add(id);
  }
  cut.delete(a);
  const both = may.size > 0 && cut.size > 0 ? common(may, cut) : may.size > 0 ? may : cut;
  const [other, ...others] = [...both];
  return other !== undefined && others.length === 0 ? [a, other] : null;
}

/** Do the title or the ticker name other teams than the markets do? */
function contradiction(
  league: League,
  teams: readonly [TeamId, TeamId],
  title: string | null,
  codes: string,
): string | null {
  const names = sidesOfTitle(title);
  for (const name of names ? [names.first, names.second] : []) {
    const may = teamsByName(league, name);
    if (may.size > 0 && !teams.some((team) => may.has(team)))
      return `the title "${title}" names another team than the markets do`;
  }
  // Where anyone may take part, codes that we know say nothing about those that we do not.
  const cuts = league.open === undefined ? splitCodes(league, 'venue_a', codes) : [];
  const fits = cuts.some(([a, b]) => (a.has(teams[0]) && b.has(teams[1])) || (a.has(teams[1]) && b.has(teams[0])));
  return cuts.length > 0 && !fits ? `the ticker's codes "${codes}" name another team than the markets do` : null;
}

function listingOrder(
  league: League,
  teams: [TeamId, TeamId],
  title: string | null,
  codes: string,
): { teams: [TeamId, TeamId]; home: TeamId | null } {
  const turned: [TeamId, TeamId] = [teams[1], teams[0]];
  const names = sidesOfTitle(title);
  const first = names ? whichOf(league, names.first, teams) : null;
  if (first !== null) {
    const inOrder = first === teams[0] ? teams : turned;
    // "A at B" says who is at home; "A vs B" leaves it to the league's order.
    return { teams: inOrder, home: names?.word === 'at' ? inOrder[1] : null };
  }
  const cuts = splitCodes(league, 'venue_a', codes);
  return {
    teams:
      cuts.some(([a, b]) => a.has(teams[1]) && b.has(teams[0])) &&
      !cuts.some(([a, b]) => a.has(teams[0]) && b.has(teams[1]))
        ? turned
        : teams,
    home: null,
  };
}
