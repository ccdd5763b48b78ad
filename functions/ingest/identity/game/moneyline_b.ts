import type { Question } from '../../listing.ts';
import { isDraw, parseTitleSides, type Resolved, resolveTeam } from '../names/participants.ts';
import { type League, teamsByCode, teamsByName } from '../names/registry.ts';
import type { Context, Exclusion } from '../question.ts';
import { outcomeTokens } from '../text/outcome_ids.ts';
import { joined, type RawObject, records, strings, text, yesContract } from '../text/raw_object.ts';
import { intersection } from '../text/sets.ts';
import { parseGameSlug } from '../text/slug.ts';
import { normalize } from '../text/text.ts';
import { competitionOfB, type EventCompetition, titleOfB } from './competition_b.ts';
import { isUnparsed, type ParsedGame, type UnparsedGame } from './game.ts';
import { factsOfB, parseGameB } from './game_b.ts';
import { buildSides, findOtherScope } from './game_payoff.ts';
import { moneylineQuestion, unparsedGame, type WinnerLeg } from './moneyline.ts';
import { parsePart } from './parts.ts';
import { openedLeague, unconfirmedLeagueB } from './unconfirmed.ts';
import { asUnconfirmed } from './unconfirmed_evidence.ts';
import { contradicts, type Verdict, worstOfContracts, worstVerdict } from './verdict.ts';
import { titlesVerdict, twoWayVerdict, yesVerdict } from './winner_payoff.ts';

/**
 * Parses the winner of a game on venue_b, which lists one market with two outcomes named after the
 * teams, or three Yes/No markets. The order of the outcomes has no meaning. Side events ("More
 * Markets" and the like) repeat the winner. Only the main event counts as the listing.
 */
export function moneylineB(event: RawObject, context: Context): Question[] {
  const slug = text(event.slug);
  if (slug === null) return [];
  const known = competitionOfB(event, slug);
  if (known === null) {
    const league = unconfirmedLeagueB(event, slug);
    if (league === null) return [];
    const open: EventCompetition = { league, gameSlug: parseGameSlug(slug), by: 'prefix' };
    return winnersOf(event, context, slug, open).map((one) => asUnconfirmed(one, 'unconfirmed_league', event));
  }
  const [question] = winnersOf(event, context, slug, known);
  if (question?.excluded !== 'unknown_alias' || unconfirmedLeagueB(event, slug) === null)
    return question === undefined ? [] : [question];
  const opened = { ...known, league: openedLeague(known.league) };
  const [unconfirmed] = winnersOf(event, context, slug, opened);
  return [unconfirmed?.excluded === null ? asUnconfirmed(unconfirmed, 'unknown_alias', event) : question];
}

function winnersOf(event: RawObject, context: Context, slug: string, where: EventCompetition): Question[] {
  // The winner of a series belongs to the family `advance`.
  if (/\bwins? (?:the )?series\b|\bseries winner\b|\bto (?:advance|qualify)\b/i.test(titleOfB(event, slug) ?? ''))
    return [];
  // When the title names a part of the game, every market of the event is about that part
  // (parts_b.ts).
  if (parsePart(text(event.title) ?? '', where.league.sport) !== null) return [];
  const found = findCandidates(event, slug, where.league);
  const winner = found.length === 0 ? null : parseWinner(event, context, slug, where, found);
  return winner === null ? [] : [winner];
}

type Candidate = { market: RawObject; label: string; token: string; condition: string };

const isYesNo = (outcomes: readonly string[]): boolean =>
  outcomes.length === 2 && outcomes.some((one) => /^yes$/i.test(one)) && outcomes.some((one) => /^no$/i.test(one));

/** Returns the outcome of a Yes/No market: its group title, else the subject of its question. */
function subjectOf(market: RawObject): string | null {
  const group = text(market.groupItemTitle);
  if (group !== null) return group;
  const question = text(market.question) ?? '';
  if (/end in a draw\b/i.test(question)) return 'Draw';
  return /^will (?:the )?(.+?) win on \d{4}-\d{2}-\d{2}\?$/i.exec(question)?.[1] ?? null;
}

/**
 * Whether a market asks for the winner of the whole game. A half, a map, a line or a prop does not.
 */
function asksWinner(market: RawObject, event: RawObject, slug: string, league: League): boolean {
  const type = text(market.sportsMarketType);
  const question = text(market.question) ?? '';
  const names = parseTitleSides(question);
  // A prefix or suffix makes it another question: "Set 1 Winner: A vs B", "A vs B - Game 2 Winner".
  const bare = names === null ? !question.includes(':') : names.lead === null && names.tail === null;
  const repeats = question !== '' && normalize(question) === normalize(text(event.title) ?? '');
  if ([question, text(market.groupItemTitle) ?? ''].some((one) => parsePart(one, league.sport) !== null)) return false;
  if (type !== null) return type === 'moneyline';
  if (/\bo\/u\b|spread|total|handicap|toss|odd\/even/i.test(question)) return false;
  return bare || repeats || text(market.slug) === slug;
}

/** Returns the tokens of the winner of the whole game. */
function findCandidates(event: RawObject, slug: string, league: League): Candidate[] {
  const markets = records(event.markets).filter((market) => asksWinner(market, event, slug, league));
  if (league.ways === 3) return markets.filter((market) => isYesNo(strings(market.outcomes))).flatMap(tokensOf);
  const two = markets.filter((market) => {
    const outcomes = strings(market.outcomes);
    return (
      outcomes.length === 2 && !isYesNo(outcomes) && !outcomes.some((one) => /^(?:over|under|odd|even)\b/i.test(one))
    );
  });
  const typed = two.filter((market) => text(market.sportsMarketType) === 'moneyline');
  const main =
    two.find((market) => text(market.slug) === slug) ??
    (typed.length === 1 ? typed[0] : undefined) ??
    (two.length === 1 ? two[0] : undefined);
  return main ? tokensOf(main) : [];
}

function tokensOf(market: RawObject): Candidate[] {
  const outcomes = strings(market.outcomes);
  const tokens = outcomeTokens(market);
  const condition = text(market.conditionId);
  if (outcomes.length !== 2 || tokens.length !== 2 || condition === null) return [];
  if (isYesNo(outcomes)) {
    const label = subjectOf(market);
    const yes = yesContract(market);
    return label === null || yes === null ? [] : [{ market, label, token: yes.contract_id, condition }];
  }
  return outcomes.map((label, at) => ({ market, label, token: tokens[at] ?? '', condition }));
}

function parseWinner(
  event: RawObject,
  context: Context,
  slug: string,
  where: EventCompetition,
  found: readonly Candidate[],
): Question | null {
  const { league, gameSlug } = where;
  const markets = found.map((one) => one.market);
  const labels = found.map((one) => one.label);
  const unread = (one: UnparsedGame): Question => unparsedGame('venue_b', slug, one, { labels });
  const reject = (problem: Exclusion, detail: string): Question =>
    unread({ league, problem, detail, facts: factsOfB(event, slug, gameSlug, markets) });
  const legs: WinnerLeg[] = [];
  const by: string[] = [];
  const resolved = resolveSides(league, found, gameSlug?.codes ?? []);
  for (const [at, one] of found.entries()) {
    const side = resolved[at];
    const contract = { market_id: one.condition, contract_id: one.token, side: null };
    if (side === 'draw') legs.push({ team: 'draw', ...contract });
    else if (side && 'team' in side) {
      legs.push({ team: side.team, ...contract });
      by.push(side.by);
    } else if (side) return reject(side.problem, side.detail);
  }
  const teams = [...new Set(legs.flatMap((leg) => (leg.team === 'draw' ? [] : [leg.team])))];
  // When the outcome of one team is not listed, title and slug must name the other team.
  const game = parseGameB(event, context, teams.length === 2 ? { teams, markets, where } : { markets, where });
  const isTwice = legs.length !== new Set(legs.map((leg) => leg.team)).size;
  if (isTwice || teams.length > 2) return reject('incomplete', `outcomes of ${slug}: ${labels.join(', ')}`);
  if (game === null) return reject('incomplete', `no game in ${slug}`);
  if (isUnparsed(game)) return unread(game);
  if (teams.some((team) => !game.teams.includes(team)))
    return reject('contradictory', `the title "${game.title}" names another team than the markets do`);
  // A side event about a map or a half asks something else (parts_b.ts). One that repeats the
  // winner ("More Markets") is a duplicate listing.
  if (game.sibling !== null && parsePart(game.sibling, league.sport) !== null) return null;
  const labelled = found.map(({ market, label }, at) => ({ market, label, team: legs[at]?.team ?? 'draw' }));
  const copy = game.sibling === null ? null : 'duplicate_listing';
  return moneylineQuestion(game, legs, { participants_by: by.sort() }, payoffOf(game, event, labelled), copy);
}

type Labelled = { market: RawObject; label: string; team: WinnerLeg['team'] };

/**
 * Compares titles, questions, labels and texts with the outcomes that the fields give the tokens.
 */
function payoffOf(game: ParsedGame, event: RawObject, labelled: readonly Labelled[]): Verdict {
  const titles = [text(event.title), ...labelled.map(({ market }) => text(market.question))];
  const sides = buildSides(game, labelled, titles);
  const whole = text(event.description);
  const about = whole === null ? null : findOtherScope(whole);
  const groups = labelled.map(({ market }) => text(market.groupItemTitle));
  const texts = labelled.map(({ market, team }) => {
    const own = joined(market.description) ?? joined(event.description);
    return isYesNo(strings(market.outcomes)) ? yesVerdict(sides, team, own) : twoWayVerdict(sides, own);
  });
  return worstVerdict([
    titlesVerdict(sides, titles, [...groups, ...labelled.map(({ label }) => label)]),
    ...(about === null ? [] : [contradicts(`"${about}"`)]),
    worstOfContracts(texts),
  ]);
}

/**
 * Resolves the sides by their labels. Where a label may mean two teams ("New York"), the two codes
 * of the slug decide, but only if exactly one assignment of codes to labels fits.
 */
function resolveSides(league: League, found: readonly Candidate[], codes: readonly string[]): (Resolved | 'draw')[] {
  const teams = found.filter((one) => !isDraw(one.label));
  const sets = codes.map((code) => teamsByCode(league, 'venue_b', code));
  const fits = (label: string, at: number): boolean => {
    const code = sets[at];
    return code === undefined || code.size === 0 || intersection(teamsByName(league, label), code).size > 0;
  };
  const [one, two] = teams;
  const both = one !== undefined && two !== undefined && codes.length === 2;
  const straight = both && fits(one.label, 0) && fits(two.label, 1);
  const crossed = both && fits(one.label, 1) && fits(two.label, 0);
  return found.map((candidate): Resolved | 'draw' => {
    if (isDraw(candidate.label)) return 'draw';
    const at = teams.indexOf(candidate);
    const code = straight === crossed ? undefined : codes[straight ? at : 1 - at];
    return resolveTeam(league, 'venue_b', candidate.label, code ?? null);
  });
}
