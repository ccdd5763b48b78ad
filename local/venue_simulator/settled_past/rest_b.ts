import { DAY } from '../core/eastern.ts';
import { type HttpResponse, json, raw } from '../core/http.ts';
import type { Faults } from '../faults/faults.ts';
import { eventFilter } from '../venue_b/gamma.ts';
import { findOnB } from './lookup.ts';
import { pageOf } from './page.ts';
import { type Place, placeOf, START } from './place.ts';
import type { LiveAnswer, PastAnswer } from './rest_a.ts';
import type { SettledPast, Span } from './settled_past.ts';
import { STRANDS } from './strand.ts';

/**
 * The settled past on venue B's metadata API. A request for closed events gets those of the live
 * world first, then the past, newest day first.
 */

/** An event ends at most a week after its start (venues.md B2). Two days are for time zones. */
const ENDS_WITHIN_DAYS = 9;
/** No event ends more than a day before the day on which it is listed. */
const ENDS_BEFORE_DAYS = 2;

export class PastRestB {
  readonly #past: SettledPast;
  readonly #live: LiveAnswer;
  readonly #faults: Faults;

  constructor(past: SettledPast, live: LiveAnswer, faults: Faults) {
    this.#past = past;
    this.#live = live;
    this.#faults = faults;
  }

  /** `path` is the part after /gamma. */
  async answer(path: string, query: URLSearchParams): Promise<PastAnswer> {
    const [resource, view, slug] = path
      .split('/')
      .filter((part) => part !== '')
      .map(decodeURIComponent);
    if (resource === 'events' && view === 'keyset' && query.get('closed') === 'true')
      return this.#faults.pastFailure() ?? this.#closedEvents(path, query);
    const live = this.#live(path, query);
    if (live.status !== 404 || view !== 'slug' || !slug) return live;
    const event = findOnB(this.#past, slug)?.b;
    const body =
      resource === 'events' && event?.slug === slug
        ? event.json()
        : resource === 'markets'
          ? event?.markets.find((market) => market.slug === slug)?.json(true)
          : undefined;
    return body === undefined ? live : (this.#faults.pastFailure() ?? raw(body));
  }

  async #closedEvents(path: string, query: URLSearchParams): Promise<HttpResponse> {
    const continued = placeOf(query.get('after_cursor'));
    const live = continued ? null : this.#live(path, query);
    if (live && live.status !== 200) return live;
    const first = JSON.parse(live?.body ?? '{}') as { next_cursor?: string; events?: unknown[] };
    if (first.next_cursor && live) return live;
    const limit = Math.min(500, Number(query.get('limit') ?? 20));
    if (!Number.isInteger(limit) || limit < 1)
      return json({ type: 'validation error', error: 'invalid limit or after_cursor' }, 422);
    const keep = eventFilter(query);
    const page = await pageOf(
      this.#past,
      this.#spanOf(query),
      continued ?? this.#start(),
      limit - (first.events?.length ?? 0),
      ({ b }): string[] => (b && keep(b) ? [b.json()] : []),
    );
    const events = [...(first.events ?? []).map((event) => JSON.stringify(event)), ...page.rows];
    const cursor = page.cursor === '' ? '' : `,"next_cursor":"${page.cursor}"`;
    return raw(`{"events":[${events.join(',')}]${cursor}}`);
  }

  #start(): Place {
    return { ...START, until: this.#past.now() };
  }

  #spanOf(query: URLSearchParams): Span {
    const series = query.getAll('series_id');
    const slug = query.get('tag_slug');
    const tags = query.getAll('tag_id');
    const strands = [...STRANDS.entries()].filter(
      ([, one]) =>
        (series.length === 0 || series.includes(one.seriesB)) &&
        (!slug || one.tags.some((tag) => tag[2] === slug)) &&
        (tags.length === 0 || one.tags.some((tag) => tags.includes(tag[0]))),
    );
    const from = Date.parse(query.get('end_date_min') ?? '');
    const until = Date.parse(query.get('end_date_max') ?? '');
    return {
      venue: 'b',
      strands: strands.map(([at]) => at),
      ...(Number.isNaN(from) ? {} : { oldest: this.#past.dayOf(from - ENDS_WITHIN_DAYS * DAY) }),
      ...(Number.isNaN(until) ? {} : { newest: this.#past.dayOf(until + ENDS_BEFORE_DAYS * DAY) }),
    };
  }
}
