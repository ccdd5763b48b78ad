import type { Question } from '../listing.ts';
import { instant, monthNumber } from './eastern.ts';
import { type Context, earliest, ordered, question, type UnorderedLeg, urlOf } from './question.ts';
import { BANKS, type Bank, CHOICES, type Choice } from './registry.ts';
import { isUnfilled, normal } from './text.ts';
import { seriesOf, suffixOf } from './ticker.ts';
import { records, rulesOfA, rulesOfB, text, type Wire, yesContract } from './wire.ts';

/** The five-way decision of one meeting of the Federal Reserve: the same five choices on both venues, named by the meeting's month. */
const FED = BANKS.find((bank) => bank.id === 'fed') as Bank;

type Leg = { choice: Choice; market_id: string; contract_id: string; side: 'yes' | null };

function decision(
  venue: 'venue_a' | 'venue_b',
  native: string,
  month: string | null,
  legs: readonly Leg[],
  facts: {
    close_at: string | null;
    url: string | null;
    rules: string | null;
    title: string | null;
    month_by: string | null;
  },
): Question {
  const complete = new Set(legs.map((leg) => leg.choice.key)).size === CHOICES.length && legs.length === CHOICES.length;
  return question(
    {
      question_id: `${venue}:${native}`,
      family: 'fed_decision',
      key: `fed_decision|${FED.id}|${month ?? `?${native}`}`,
      title: `Federal Reserve decision, ${month ?? '?'}`,
      identity: {
        institution: FED.id,
        meeting: month,
        meeting_by: facts.month_by,
        title: facts.title,
        whole: complete,
      },
    },
    {
      category: 'central_banks',
      institution: FED.name,
      close_at: facts.close_at,
      url: facts.url,
      excluded: month === null ? 'unreadable_date' : complete ? null : 'incomplete',
    },
    {
      rules: facts.rules === null ? 'none' : isUnfilled(facts.rules) ? 'unfilled' : 'read',
      cancelled: facts.rules === null ? null : onCancelledMeeting(facts.rules),
      rounding: facts.rules !== null && /rounded up to the nearest 25/i.test(facts.rules) ? 'up_to_25' : null,
    },
    ordered(
      legs.map(
        ({ choice, ...leg }): UnorderedLeg => ({
          ...leg,
          outcome_key: choice.key,
          outcome_name: choice.name,
          detail: { low: choice.low, high: choice.high, comparison: choice.comparison, unit: 'bp' },
        }),
      ),
      CHOICES.map((choice) => choice.key),
    ),
  );
}

function onCancelledMeeting(rules: string): string | null {
  if (/(?:meeting is cancel+ed|ends without a statement)[^.]*(?:0 ?bps|maintain|no change|hold)[^.]*yes/i.test(rules))
    return 'no_change';
  if (/no statement is released[^.]*"?no change"?/i.test(rules)) return 'no_change';
  return null;
}

export function fedDecisionA(event: Wire, _context: Context): Question[] {
  const ticker = text(event.event_ticker);
  if (ticker === null || !FED.venue_a.includes(text(event.series_ticker) ?? seriesOf(ticker))) return [];
  const match = /-(\d{2})([A-Z]{3})(?:\d{2})?$/.exec(ticker);
  const number = match ? monthNumber(match[2] ?? '') : null;
  const month = match && number ? `20${match[1]}-${String(number).padStart(2, '0')}` : null;
  const markets = records(event.markets);
  const legs = markets.flatMap((market): Leg[] => {
    const id = text(market.ticker);
    const choice = id === null ? undefined : CHOICES.find((one) => one.venue_a === suffixOf(ticker, id));
    return id === null || choice === undefined ? [] : [{ choice, market_id: id, contract_id: id, side: 'yes' }];
  });
  return [
    decision('venue_a', ticker, month, legs, {
      close_at: earliest(markets.map((market) => instant(text(market.close_time)))),
      url: urlOf('venue_a', ticker, seriesOf(ticker)),
      rules: rulesOfA(markets),
      title: text(event.title),
      month_by: 'ticker',
    }),
  ];
}

/** "50+ bps decrease", "Fed hikes rates by more than 25 bps", "No change", "Fed maintains rates". */
function choiceOf(label: string): Choice | null {
  const said = normal(label.replace(/\+/g, ' plus ').replace(/>/g, ' more than '));
  const by = (key: string): Choice | null => CHOICES.find((one) => one.key === key) ?? null;
  if (/\b(?:no change|maintains?|unchanged|hold)\b/.test(said)) return by('no_change');
  const cut = /\b(?:cuts?|decreases?|lowers?)\b/.test(said);
  const hike = /\b(?:hikes?|increases?|raises?)\b/.test(said);
  if (cut === hike) return null;
  // On the 25 bp grid that this bank moves on, "50 or more" is "more than 25".
  if (/\b50 (?:plus )?bps\b|\b50 plus\b|\bmore than 25\b/.test(said)) return by(cut ? 'cut_more_25' : 'hike_more_25');
  return /\b25 ?bps?\b/.test(said) ? by(cut ? 'cut_25' : 'hike_25') : null;
}

export function fedDecisionB(event: Wire, context: Context): Question[] {
  const slug = text(event.slug);
  const title = text(event.title);
  if (slug === null || !/^(?:fed-decision-in-|usfed-fomc-)/.test(slug)) return [];
  const markets = records(event.markets);
  const legs = markets.flatMap((market): Leg[] => {
    const yes = yesContract(market);
    const choice = choiceOf(text(market.groupItemTitle) ?? text(market.question) ?? '');
    return choice === null || yes === null ? [] : [{ choice, ...yes, side: null }];
  });
  const end = earliest([instant(text(event.endDate)), ...markets.map((market) => instant(text(market.endDate)))]);
  return [
    decision(
      'venue_b',
      slug,
      ...meetingOf(slug, title, markets, end, context.now, legs, {
        close_at: end,
        url: urlOf('venue_b', slug, null),
        rules: rulesOfB(event, markets),
        title,
      }),
    ),
  ];
}

type Facts = { close_at: string | null; url: string | null; rules: string | null; title: string | null };

/** The month is in the slug, its year seldom: in a question, else in the end date, else it is the next such month. */
function meetingOf(
  slug: string,
  title: string | null,
  markets: readonly Wire[],
  end: string | null,
  now: string,
  legs: readonly Leg[],
  facts: Facts,
): [string | null, readonly Leg[], Facts & { month_by: string | null }] {
  const dated = /-(20\d{2})-(\d{2})-\d{2}$/.exec(slug);
  if (dated) return [`${dated[1]}-${dated[2]}`, legs, { ...facts, month_by: 'slug' }];
  const named =
    /\b(?:in|of|the)[ -](january|february|march|april|may|june|july|august|september|october|november|december)\b/i.exec(
      `${slug} ${title ?? ''}`,
    );
  const number = named ? monthNumber(named[1] ?? '') : null;
  if (number === null) return [null, legs, { ...facts, month_by: null }];
  const month = String(number).padStart(2, '0');
  const asked = [slug, ...markets.map((market) => text(market.question) ?? ''), facts.rules ?? ''].join(' ');
  const said = new RegExp(`${named?.[1]}[ -](20\\d{2})`, 'i').exec(asked);
  if (said) return [`${said[1]}-${month}`, legs, { ...facts, month_by: 'text' }];
  if (end !== null) {
    const at = new Date(end);
    // An end date lies at the decision, or a little after it.
    const year = at.getUTCMonth() + 1 >= number ? at.getUTCFullYear() : at.getUTCFullYear() - 1;
    return [`${year}-${month}`, legs, { ...facts, month_by: 'end_date' }];
  }
  const today = new Date(now);
  if (Number.isNaN(today.getTime())) return [null, legs, { ...facts, month_by: null }];
  return [
    `${today.getUTCFullYear() + (number < today.getUTCMonth() + 1 ? 1 : 0)}-${month}`,
    legs,
    { ...facts, month_by: 'inferred' },
  ];
}
