import type { Clock } from '../core/clock.ts';
import { DAY } from '../core/eastern.ts';
import { wideCondition } from '../core/ids.ts';
import { type Question, twinsOf } from '../universe/question.ts';
import type { Universe } from '../universe/universe.ts';
import { type PastChanges, withEarlierText, withOtherWinnerOnA } from './changes.ts';
import type { Place } from './place.ts';
import { type SettledQuestion, settledQuestionsOf } from './settled_question.ts';
import { STRANDS, type Strand } from './strand.ts';

/**
 * The newest day of the past that was never live. The live world lists day -1 and later ones. A
 * game of day -1 that was postponed has the date of day -2 in its ticker. An unplayed game of day
 * -3 settles after the base time.
 */
const NEWEST_UNSEEN_DAY = -4;
/** Some slugs have no year, so the past must be shorter than a year. */
const OLDEST_DAY = -200;
/** The live world removes a question two days after its settlement or later. */
const REMOVED_AFTER_DAYS = 2;
/**
 * Each league of the past plays this many games a day, also where the live world has fewer. With
 * 299 agreeing occasions a rule is confirmed. 120 days have about 395 that both venues list.
 */
const GAMES_PER_DAY = 4;
/** The live market steps every 50 ms. Generating a page pauses after this much real time. */
const WORK_MS = 8;
const CACHED_DAYS = 4;
/** About 30,000 markets of the past are of v2. */
const MAX_RESOLUTIONS = 60_000;
/** Planted divergences are this many days apart, so that the older ones are beyond the cutoff. */
const PLANTED_EVERY_DAYS = 9;

/** Questions of one strand and day, in a fixed order. */
export type PastDay = { strand: number; day: number; questions: readonly SettledQuestion[] };

/** The venue whose listings are needed. Null: those of both, as twins. */
export type Venue = 'a' | 'b' | null;

/** Which part of the past a request asks for. Days are counted from the base time. */
export type Span = { venue: Venue; strands: readonly number[]; newest?: number; oldest?: number };

/**
 * Everything that has settled and that the live world does not list any more: the days before the
 * base time, with a calendar of their own, and the days that the live world has removed. A day is
 * generated when a request needs it.
 */
export class SettledPast {
  readonly #live: Universe;
  readonly #unseen: Universe;
  readonly #now: () => number;
  readonly #changes: PastChanges;
  readonly #clock: Clock;
  readonly #planted = new Map<string, ReadonlySet<string>>();
  readonly #days = new Map<string, PastDay>();
  /** The rows of /v2/resolutions of the v2 markets of every generated day, as JSON. */
  readonly #resolutions = new Map<string, string>();

  constructor(live: Universe, now: () => number, changes: PastChanges, clock: Clock) {
    const { seed, base, calendar } = live;
    this.#live = live;
    const perDay = new Map([...calendar.perDay.keys()].map((league) => [league, GAMES_PER_DAY]));
    this.#unseen = { seed, base, calendar: { ...calendar, perDay }, numbers: new Map() };
    this.#now = now;
    this.#changes = changes;
    this.#clock = clock;
  }

  now(): number {
    return this.#now();
  }

  /** The row of a condition in its 32-byte form, once the day of its market has been read. */
  resolution(condition: string): Record<string, unknown> | undefined {
    const row = this.#resolutions.get(condition);
    return row === undefined ? undefined : (JSON.parse(row) as Record<string, unknown>);
  }

  /** The day of a market time. */
  dayOf(t: number): number {
    return Math.floor((t - this.#live.base) / DAY);
  }

  /**
   * The days of a span that are settled at `until`, newest first. Between two days the live market
   * can continue.
   */
  async *days(span: Span, until: number, after: Pick<Place, 'day' | 'strand'>): AsyncGenerator<PastDay> {
    const newest = Math.min(span.newest ?? Number.POSITIVE_INFINITY, after.day, this.dayOf(until) - REMOVED_AFTER_DAYS);
    const oldest = Math.max(span.oldest ?? Number.NEGATIVE_INFINITY, OLDEST_DAY);
    let pause = this.#clock.now() + WORK_MS;
    for (let day = newest; day >= oldest; day--) {
      if (!this.#contains(day)) continue;
      for (const strand of span.strands) {
        if (day === after.day && strand < after.strand) continue;
        yield this.#settledBy(until, this.#day(span.venue, strand, day));
        if (this.#clock.now() < pause) continue;
        await new Promise<void>((resolve) => this.#clock.after(0, resolve));
        pause = this.#clock.now() + WORK_MS;
      }
    }
  }

  /** One day as far as it is settled now. Undefined for a day that is not in the past. */
  settledDay(venue: Venue, strand: number, day: number): PastDay | undefined {
    const until = this.#now();
    if (!this.#contains(day) || day > this.dayOf(until) - REMOVED_AFTER_DAYS) return undefined;
    return this.#settledBy(until, this.#day(venue, strand, day));
  }

  #contains(day: number): boolean {
    return day >= OLDEST_DAY && (day <= NEWEST_UNSEEN_DAY || day >= -1);
  }

  /** Generates one day of one strand, or returns it from the cache. */
  #day(venue: Venue, strand: number, day: number): PastDay {
    const name = `${venue}:${strand}:${day}`;
    const known = this.#days.get(name);
    if (known) {
      this.#days.delete(name);
      this.#days.set(name, known);
      return known;
    }
    const made = { strand, day, questions: this.#questionsOf(venue, strand, day) };
    this.#days.set(name, made);
    const [oldest] = this.#days.keys();
    if (oldest && this.#days.size > CACHED_DAYS) this.#days.delete(oldest);
    return made;
  }

  isPlanted({ key, a }: Question): boolean {
    return a !== null && this.#changes.divergences.has(a.series) && this.#plantedIn(a.series).has(key);
  }

  /** Whether venue A listed this question before it changed the text of the series. */
  hasEarlierText({ a, moments }: Question): boolean {
    const daysAgo = this.#changes.changedTexts.get(a?.series ?? '');
    return daysAgo !== undefined && (moments.start ?? moments.ends) < this.#live.base - daysAgo * DAY;
  }

  /** The keys of the questions that settle differently by request. */
  #plantedIn(series: string): ReadonlySet<string> {
    const known = this.#planted.get(series);
    if (known) return known;
    const planted = new Set<string>();
    this.#planted.set(series, planted);
    const wanted = this.#changes.divergences.get(series) ?? 0;
    const strand = STRANDS.find((one) => one.seriesA.has(series));
    if (!strand || wanted === 0) return planted;
    let due = NEWEST_UNSEEN_DAY - 1;
    for (let day = due; day >= OLDEST_DAY && planted.size < wanted; day--) {
      const found = day > due ? undefined : this.#plain(null, strand, day).find((one) => canDiverge(one, series));
      if (!found) continue;
      planted.add(found.key);
      due = day - PLANTED_EVERY_DAYS;
    }
    return planted;
  }

  #settledBy(until: number, { questions, ...rest }: PastDay): PastDay {
    // The questions of an unseen day were never live.
    if (rest.day <= NEWEST_UNSEEN_DAY) return { ...rest, questions };
    return { ...rest, questions: questions.filter(({ question }) => question.moments.removed <= until) };
  }

  #plain(venue: Venue, strand: Strand, day: number): Question[] {
    return strand.questions(day <= NEWEST_UNSEEN_DAY ? this.#unseen : this.#live, day, venue);
  }

  #questionsOf(venue: Venue, at: number, day: number): SettledQuestion[] {
    const strand = STRANDS[at];
    if (!strand) return [];
    const plain = this.#plain(venue, strand, day);
    // The live world listed the later days without changes.
    const questions = day > NEWEST_UNSEEN_DAY ? plain : plain.map((question) => this.#changed(question));
    const settled = settledQuestionsOf(questions, this.#now);
    this.#keepResolutions(settled);
    return settled;
  }

  #keepResolutions(settled: readonly SettledQuestion[]): void {
    for (const market of settled.flatMap(({ b }) => b?.markets ?? [])) {
      const row = market.isV2() ? market.resolution() : null;
      if (row) this.#resolutions.set(wideCondition(market.condition), JSON.stringify(row));
    }
    for (const oldest of this.#resolutions.keys()) {
      if (this.#resolutions.size <= MAX_RESOLUTIONS) return;
      this.#resolutions.delete(oldest);
    }
  }

  #changed(question: Question): Question {
    const early = this.hasEarlierText(question) ? withEarlierText(question) : question;
    return this.isPlanted(question) ? withOtherWinnerOnA(early) : early;
  }
}

/** Whether both venues list this question of the series without a defect and settle it alike. */
function canDiverge(question: Question, series: string): boolean {
  const twins = twinsOf(question);
  const { a, defect, settledDifferently } = question;
  return (
    a?.series === series && !defect && !settledDifferently && twins.length > 0 && twins.every((twin) => !twin.defect)
  );
}
