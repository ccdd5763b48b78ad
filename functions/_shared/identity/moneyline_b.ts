import type { Question } from '../listing.ts';
import { dateInText, instant } from './eastern.ts';
import { type Game, moneyline, unreadGame } from './moneyline.ts';
import { isDraw, type Resolved, resolveTeam, sidesOfTitle, whichOf } from './participants.ts';
import { type Context, earliest, urlOf } from './question.ts';
import { COMPETITIONS, type League, leagueOfPrefix, type TeamId, teamsByCode, teamsByName } from './registry.ts';
import { common } from './sets.ts';
import { gameSlug } from './slug.ts';
import { dayOf, stageOf } from './stage.ts';
import { sportsTerms } from './terms.ts';
import { records, rulesOfB, strings, text, type Wire, yesContract } from './wire.ts';

/**
 * venue_b lists a game as one market of two outcomes named after the teams (their order says nothing), or as three Yes/No markets.
 * Its sibling events ("More Markets" and the like) repeat the moneyline: only the main event's is the listing.
 */
export function moneylineB(event: Wire, _context: Context): Question[] {
  const slug = text(event.slug);
  if (slug === null) return [];
  const read = gameSlug(slug);
  const league = read ? leagueOfPrefix(read.prefix) : inferredLeague(event);
  if (league === null || (read && read.codes.length !== 2)) return [];
  const found = candidates(event, slug, league);
  return found.length === 0 ? [] : [readGame(slug, read, league, event, found)];
}

type Candidate = { market: Wire; label: string; token: string; condition: string };

const yesNo = (outcomes: readonly string[]): boolean =>
  outcomes.length === 2 && outcomes.some((one) => /^yes$/i.test(one)) && outcomes.some((one) => /^no$/i.test(one));

/** The outcome that a Yes/No market of a game stands for: its group title, else its question. */
function subject(market: Wire): string | null {
  const group = text(market.groupItemTitle);
  if (group !== null) return group;
  const asked = text(market.question) ?? '';
  if (/end in a draw\b/i.test(asked)) return 'Draw';
  return /^will (?:the )?(.+?) win on \d{4}-\d{2}-\d{2}\?$/i.exec(asked)?.[1] ?? null;
}

/** The tokens of the whole game's winner; a half, a map, a line or a prop is none of them. */
function candidates(event: Wire, slug: string, league: League): Candidate[] {
  const markets = records(event.markets).filter((market) => {
    const type = text(market.sportsMarketType);
    return type === null
      ? !/:|\bo\/u\b|spread|total|handicap|half|1h|quarter|inning/i.test(text(market.question) ?? '')
      : type === 'moneyline';
  });
  const read = (market: Wire): Candidate[] => {
    const outcomes = strings(market.outcomes);
    const tokens = strings(market.clobTokenIds);
    const condition = text(market.conditionId);
    if (outcomes.length !== 2 || tokens.length !== 2 || condition === null) return [];
    if (yesNo(outcomes)) {
      const label = subject(market);
      const yes = yesContract(market);
      return label === null || yes === null ? [] : [{ market, label, token: yes.contract_id, condition }];
    }
    return outcomes.map((label, at) => ({ market, label, token: tokens[at] ?? '', condition }));
  };
  if (league.ways === 2) {
    const two = markets.filter((market) => {
      const outcomes = strings(market.outcomes);
      return (
        outcomes.length === 2 && !yesNo(outcomes) && !outcomes.some((one) => /^(?:over|under|odd|even)\b/i.test(one))
      );
    });
    const main = two.find((market) => text(market.slug) === slug) ?? (two.length === 1 ? two[0] : undefined);
    return main ? read(main) : [];
  }
  return markets.filter((market) => yesNo(strings(market.outcomes))).flatMap(read);
}

/** An event without a league in its slug: the only competition that both teams of its title take part in. A club that also plays a cup leaves it open. */
function inferredLeague(event: Wire): League | null {
  const names = sidesOfTitle(text(event.title));
  if (names === null) return null;
  const may = [...COMPETITIONS.values()].filter(
    (league) => teamsByName(league, names.first).size > 0 && teamsByName(league, names.second).size > 0,
  );
  return may.length === 1 ? (may[0] ?? null) : null;
}

function readGame(
  slug: string,
  read: ReturnType<typeof gameSlug>,
  league: League,
  event: Wire,
  found: readonly Candidate[],
): Question {
  const title = text(event.title);
  const markets = found.map((one) => one.market);
  const gameStart = markets.map((market) => instant(text(market.gameStartTime))).find((at) => at !== null) ?? null;
  const eventStart = instant(text(event.startTime));
  const start_at = gameStart ?? eventStart;
  const close_at = earliest(markets.map((market) => instant(text(market.endDate))));
  const url = urlOf('venue_b', slug, null);
  const asked = markets.map((market) => text(market.question) ?? '').join(' ');
  const eventDate = text(event.eventDate);
  const named =
    (eventDate && /^\d{4}-\d{2}-\d{2}/.test(eventDate) ? eventDate.slice(0, 10) : null) ??
    read?.date ??
    dateInText(asked, null);
  const on_date = dayOf(named, start_at);
  const unread = (code: string, detail: string): Question =>
    unreadGame(
      'venue_b',
      slug,
      league,
      code,
      { detail, title, labels: found.map((one) => one.label) },
      { title: title ?? slug, on_date, start_at, close_at, url },
    );
  if (on_date === null) return unread('unreadable_date', `no date in ${slug}`);

  const legs: Game['legs'] = [];
  const by: string[] = [];
  const resolved = resolveSides(league, found, read?.codes ?? []);
  for (const [at, one] of found.entries()) {
    const side = resolved[at];
    if (side === 'draw') legs.push({ team: 'draw', market_id: one.condition, contract_id: one.token, side: null });
    else if (side && 'team' in side) {
      legs.push({ team: side.team, market_id: one.condition, contract_id: one.token, side: null });
      by.push(side.by);
    } else if (side) return unread(side.problem, side.detail);
  }
  const [first, second, ...more] = [...new Set(legs.flatMap((leg) => (leg.team === 'draw' ? [] : [leg.team])))];
  if (
    first === undefined ||
    second === undefined ||
    more.length > 0 ||
    legs.length !== new Set(legs.map((leg) => leg.team)).size
  ) {
    return unread('incomplete', `outcomes of ${slug}: ${found.map((one) => one.label).join(', ')}`);
  }
  const order = listingOrder(league, [first, second], title, event, read?.codes ?? []);
  const rules = rulesOfB(event, markets);
  const which = /\b(first|second) game of (?:the|a) doubleheader|\bgame ([12]) of (?:the|a) doubleheader/i.exec(
    rules ?? '',
  );
  return moneyline({
    venue: 'venue_b',
    event: slug,
    league,
    stage: stageOf(league, [title, slug, rules, ...records(event.tags).map((tag) => text(tag.slug))], false, on_date),
    teams: order.teams,
    home: order.home,
    on_date,
    game_no: which ? (which[2] ? Number(which[2]) : which[1]?.toLowerCase() === 'first' ? 1 : 2) : null,
    start_at,
    start_source: gameStart ? 'gameStartTime' : eventStart ? 'startTime' : null,
    close_at,
    url,
    terms: sportsTerms(rules, sourcesOf(event, markets), on_date),
    evidence: {
      slug_date: read?.date ?? null,
      competition_by: read ? 'prefix' : 'inferred',
      participants_by: by.sort(),
      game_id: text(event.gameId) ?? (typeof event.gameId === 'number' ? String(event.gameId) : null),
    },
    legs,
    excluded: read?.suffix ? 'duplicate_listing' : null,
  });
}

function sourcesOf(event: Wire, markets: readonly Wire[]): string[] {
  const all = [event, ...markets].map((one) => text(one.resolutionSource)).filter((one): one is string => one !== null);
  return [...new Set(all)];
}

/**
 * Labels first. Where a label may mean two teams ("New York"), the slug's two codes decide, but only if one way of laying the codes
 * onto the labels works.
 */
function resolveSides(league: League, found: readonly Candidate[], codes: readonly string[]): (Resolved | 'draw')[] {
  const teams = found.filter((one) => !isDraw(one.label));
  const sets = codes.map((code) => teamsByCode(league, 'venue_b', code));
  const fits = (label: string, at: number): boolean => {
    const code = sets[at];
    return code === undefined || code.size === 0 || common(teamsByName(league, label), code).size > 0;
  };
  const [one, two] = teams;
  const straight =
    one !== undefined && two !== undefined && codes.length === 2 && fits(one.label, 0) && fits(two.label, 1);
  const crossed =
    one !== undefined && two !== undefined && codes.length === 2 && fits(one.label, 1) && fits(two.label, 0);
  return found.map((candidate): Resolved | 'draw' => {
    if (isDraw(candidate.label)) return 'draw';
    const at = teams.indexOf(candidate);
    const code = straight === crossed ? undefined : codes[straight ? at : 1 - at];
    return resolveTeam(league, 'venue_b', candidate.label, code ?? null);
  });
}

function listingOrder(
  league: League,
  teams: [TeamId, TeamId],
  title: string | null,
  event: Wire,
  codes: readonly string[],
): { teams: [TeamId, TeamId]; home: TeamId | null } {
  const turned: [TeamId, TeamId] = [teams[1], teams[0]];
  const said = records(event.teams).find((team) => text(team.ordering) === 'home');
  const home = said ? whichOf(league, text(said.name) ?? '', teams) : null;
  if (home !== null) {
    const homeFirst = league.order === 'home_first';
    return { teams: (home === teams[0]) === homeFirst ? teams : turned, home };
  }
  const names = sidesOfTitle(title);
  const first = names ? whichOf(league, names.first, teams) : null;
  if (first !== null) return { teams: first === teams[0] ? teams : turned, home: null };
  const byCode = codes[0] === undefined ? new Set<TeamId>() : teamsByCode(league, 'venue_b', codes[0]);
  return { teams: byCode.has(teams[1]) && !byCode.has(teams[0]) ? turned : teams, home: null };
}
