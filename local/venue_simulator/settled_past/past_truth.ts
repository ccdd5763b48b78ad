import { DAY } from '../core/eastern.ts';
import { type HttpResponse, json } from '../core/http.ts';
import { type ContractA, type MarketB, type Question, type Twin, twinsOf } from '../universe/question.ts';
import { type Paid, paidOf } from '../world/settlement_verdict.ts';
import { START } from './place.ts';
import type { SettledPast } from './settled_past.ts';
import { CLOSES_WITHIN_DAYS, strandsOfSeriesA } from './strand.ts';

type Outcome = 'alike' | 'apart' | 'edge_case' | 'defective';

/**
 * One occasion of the settled past, which the product's backtest must find: all contracts of a
 * family in one event of venue A, which settle together.
 */
export type PastOccasion = {
  series: string;
  family: string;
  event_ticker: string;
  event_slug: string;
  closed_at: number;
  /**
   * `apart`: paid at different prices, voids included. `edge_case`: paid alike, but neither $1 nor
   * nothing. `defective`: a text has a defect, so the pair must not count.
   */
  outcome: Outcome;
  /** Why the venues paid differently, or `planted`. */
  reason: string | null;
  /** Whether venue A had another text then. */
  earlier_text: boolean;
};

/** Counts of occasions by outcome. */
export type PastRow = { series: string; family: string } & Record<
  'alike' | 'apart' | 'edge_cases' | 'defective' | 'planted' | 'earlier_texts',
  number
>;

const DEFAULT_DAYS = 120;

/**
 * Answers GET /_sim/past?series=&days=&occasions=true: the occasions that closed in the last `days`
 * days of market time, and settled on both venues. `listed` are the questions of the live world.
 */
export async function pastTruth(
  past: SettledPast,
  listed: readonly Question[],
  query: URLSearchParams,
): Promise<HttpResponse> {
  const series = query.get('series');
  const days = Number(query.get('days') ?? DEFAULT_DAYS);
  if (!Number.isFinite(days) || days < 0) return json({ error: 'days must be a number' }, 400);
  const now = past.now();
  const from = now - days * DAY;
  const found = occasionsOf(listed, past).filter(({ question: { moments } }) => {
    return moments.finalized_a <= now && moments.resolved_b <= now;
  });
  const span = { venue: null, strands: strandsOfSeriesA(series), oldest: past.dayOf(from) - CLOSES_WITHIN_DAYS };
  for await (const { questions } of past.days(span, now, START)) {
    found.push(
      ...occasionsOf(
        questions.map((settled) => settled.question),
        past,
      ),
    );
  }
  const wanted = found
    .map(({ occasion }) => occasion)
    .filter((one) => (!series || one.series === series) && one.closed_at >= from);
  const rows = rowsOf(wanted);
  const listing = query.get('occasions') === 'true' ? { occasions: wanted } : {};
  return json({ from: new Date(from).toISOString(), until: new Date(now).toISOString(), rows, ...listing });
}

type Found = { question: Question; occasion: PastOccasion };

function occasionsOf(questions: readonly Question[], past: SettledPast): Found[] {
  const contracts = new Map(questions.flatMap(({ a }) => a?.contracts.map((one) => [one.ticker, one] as const) ?? []));
  // The lines of a game are in listings of several questions.
  const markets = new Map(
    questions.flatMap(({ b }) => b?.markets.flatMap((one) => one.tokens.map((token) => [token, one] as const)) ?? []),
  );
  return questions.flatMap((question) =>
    occasionTwinsOf(question).flatMap((twins): Found[] => {
      const paid = twins.flatMap(({ legs }) => paidIn(legs, contracts, markets));
      return paid.length === 0 ? [] : [{ question, occasion: occasionOf(question, twins, paid, past) }];
    }),
  );
}

/** The twins of a question, by occasion. */
function occasionTwinsOf(question: Question): Twin[][] {
  const byOccasion = new Map<string, Twin[]>();
  for (const twin of twinsOf(question)) {
    const name = `${twin.family} ${twin.event_ticker}`;
    byOccasion.set(name, [...(byOccasion.get(name) ?? []), twin]);
  }
  return [...byOccasion.values()];
}

const paidIn = (
  legs: Twin['legs'],
  contracts: ReadonlyMap<string, ContractA>,
  markets: ReadonlyMap<string, MarketB>,
): Paid[] =>
  paidOf(
    legs,
    (ticker) => contracts.get(ticker),
    (token) => markets.get(token),
  );

function occasionOf(
  question: Question,
  twins: readonly Twin[],
  paid: readonly Paid[],
  past: SettledPast,
): PastOccasion {
  const { moments, settledDifferently = null, defect } = question;
  const { family = '', event_ticker = '', event_slug = '' } = twins[0] ?? {};
  const outcome = defect || twins.some((one) => one.defect) ? 'defective' : outcomeOf(paid);
  const reason = past.isPlanted(question) ? 'planted' : settledDifferently;
  return {
    series: event_ticker.slice(0, event_ticker.indexOf('-')),
    family,
    event_ticker,
    event_slug,
    closed_at: moments.closed_a,
    outcome,
    reason: outcome === 'apart' ? reason : null,
    earlier_text: past.hasEarlierText(question),
  };
}

function outcomeOf(paid: readonly Paid[]): Outcome {
  if (paid.some(({ a, b }) => a !== b)) return 'apart';
  return paid.some(({ a }) => a % 10_000 !== 0) ? 'edge_case' : 'alike';
}

function rowsOf(occasions: readonly PastOccasion[]): PastRow[] {
  const rows = new Map<string, PastRow>();
  for (const { series, family, outcome, reason, earlier_text } of occasions) {
    const name = `${series} ${family}`;
    const counts = { alike: 0, apart: 0, edge_cases: 0, defective: 0, planted: 0, earlier_texts: 0 };
    const row = rows.get(name) ?? { series, family, ...counts };
    rows.set(name, row);
    row[outcome === 'edge_case' ? 'edge_cases' : outcome] += 1;
    if (reason === 'planted') row.planted += 1;
    if (earlier_text) row.earlier_texts += 1;
  }
  return [...rows.values()].sort((one, other) =>
    `${one.series} ${one.family}` < `${other.series} ${other.family}` ? -1 : 1,
  );
}
