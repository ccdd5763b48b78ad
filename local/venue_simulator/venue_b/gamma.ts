import { cursorAfter, firstAfter, type HttpResponse, json, parseCursor, raw } from '../core/http.ts';
import type { Faults } from '../faults/faults.ts';
import type { EventB, MarketB, SourceB } from './source.ts';

/**
 * Venue B's metadata API (venues.md B1). An unknown cursor parameter is ignored, so such a client
 * gets page 1 for ever.
 */

const notFound = (): HttpResponse => json({ type: 'not found error', error: 'not found' }, 404);

export class Gamma {
  readonly #source: SourceB;
  readonly #faults: Faults;

  constructor(source: SourceB, faults: Faults) {
    this.#source = source;
    this.#faults = faults;
  }

  /** `path` is the part after /gamma. */
  answer(path: string, query: URLSearchParams): HttpResponse {
    const [resource, view, slug] = path
      .split('/')
      .filter((part) => part !== '')
      .map(decodeURIComponent);
    if (resource === 'events' && view === 'keyset') return this.#events(query);
    if (resource === 'markets' && view === 'keyset') return this.#markets(query);
    if (resource === 'events' && view === 'slug' && slug) {
      const event = this.#source.eventBySlug(slug);
      return event ? raw(event.json()) : notFound();
    }
    if (resource === 'markets' && view === 'slug' && slug) {
      const market = this.#source.market(slug);
      return market && market.slug === slug ? raw(market.json(true)) : notFound();
    }
    if (resource === 'events' && view) {
      const event = this.#source.events().find((one) => one.id === view);
      return event ? raw(event.json()) : notFound();
    }
    if (resource === 'sports') return json(this.#source.sports());
    if (resource === 'teams') return json(this.#teams(query));
    if (resource === 'tags') return json(distinct(this.#source.events().flatMap((event) => event.tags)));
    if (resource === 'series') return json(distinct(this.#source.events().flatMap((event) => seriesOf(event))));
    return notFound();
  }

  #events(query: URLSearchParams): HttpResponse {
    const limit = limitOf(query, 500);
    const after = parseCursor(query.get('after_cursor'));
    if (limit === null || after === null)
      return json({ type: 'validation error', error: 'invalid limit or after_cursor' }, 422);
    const keep = eventFilter(query);
    const rows = this.#source.events();
    const page: EventB[] = [];
    let at = firstAfter(rows, after);
    for (; at < rows.length && page.length < limit; at++) {
      const event = rows[at];
      if (event && keep(event)) page.push(event);
    }
    const last = page.at(-1);
    const cursor = at < rows.length && last ? `,"next_cursor":"${cursorAfter(last.seq)}"` : '';
    const before = this.#faults.isShifting() && page[0] ? rows[firstAfter(rows, page[0].seq) - 2] : undefined;
    const visible = before ? [before, ...page] : page;
    return raw(`{"events":[${visible.map((event) => event.json()).join(',')}]${cursor}}`);
  }

  #markets(query: URLSearchParams): HttpResponse {
    const limit = limitOf(query, 100);
    const after = parseCursor(query.get('after_cursor'));
    if (limit === null || after === null)
      return json({ type: 'validation error', error: 'invalid limit or after_cursor' }, 422);
    // Since April 2026 closed markets must be requested (venues.md B1).
    const closed = (query.get('closed') ?? 'false') === 'true';
    const ids = query.getAll('id');
    const slugs = query.getAll('slug');
    const tokens = query.getAll('clob_token_ids').flatMap((value) => value.split(','));
    const conditions = query.getAll('condition_ids').flatMap((value) => value.split(','));
    const keep = (market: MarketB) =>
      market.closed() === closed &&
      (ids.length === 0 || ids.includes(market.id)) &&
      (slugs.length === 0 || slugs.includes(market.slug)) &&
      (conditions.length === 0 || conditions.includes(market.condition)) &&
      (tokens.length === 0 || market.tokens.some((token) => tokens.includes(token)));
    const page: MarketB[] = [];
    let more = false;
    for (const event of this.#source.events()) {
      for (const market of event.markets) {
        if (market.seq <= after || !keep(market)) continue;
        if (page.length === limit) more = true;
        else page.push(market);
      }
      if (more) break;
    }
    const last = page.at(-1);
    const cursor = more && last ? `,"next_cursor":"${cursorAfter(last.seq)}"` : '';
    return raw(`{"markets":[${page.map((market) => market.json(true)).join(',')}]${cursor}}`);
  }

  #teams(query: URLSearchParams): readonly Record<string, unknown>[] {
    const leagues = query.getAll('league');
    const limit = Math.min(500, Number(query.get('limit') ?? 100) || 100);
    const offset = Number(query.get('offset') ?? 0) || 0;
    return this.#source
      .teams()
      .filter((team) => leagues.length === 0 || leagues.includes(String(team.league)))
      .slice(offset, offset + limit);
  }
}

function limitOf(query: URLSearchParams, most: number): number | null {
  const text = query.get('limit');
  if (text === null) return 20;
  const limit = Number(text);
  // The venue caps the limit instead of rejecting it.
  return Number.isInteger(limit) && limit >= 1 ? Math.min(limit, most) : null;
}

/** Whether an event passes the filters of a request. */
export function eventFilter(query: URLSearchParams): (event: EventB) => boolean {
  const flag = (name: string) => (query.has(name) ? query.get(name) === 'true' : null);
  const closed = flag('closed');
  const active = flag('active');
  const live = flag('live');
  const ids = query.getAll('id');
  const slugs = query.getAll('slug');
  const tagSlug = query.get('tag_slug');
  const tagIds = query.getAll('tag_id');
  const excluded = query.getAll('exclude_tag_id');
  const game = query.get('game_id');
  const series = query.getAll('series_id');
  const search = query.get('title_search')?.toLowerCase();
  const date = query.get('event_date');
  const ranges = ['start_time', 'end_date'].flatMap((name) => {
    const field = name === 'start_time' ? 'startTime' : 'endDate';
    const min = Date.parse(query.get(`${name}_min`) ?? '');
    const max = Date.parse(query.get(`${name}_max`) ?? '');
    return [
      ...(Number.isNaN(min) ? [] : [(event: EventB) => Date.parse(String(event.fields[field])) >= min]),
      ...(Number.isNaN(max) ? [] : [(event: EventB) => Date.parse(String(event.fields[field])) <= max]),
    ];
  });
  const tagged = (event: EventB, ids_: readonly string[]) => event.tags.some((tag) => ids_.includes(String(tag.id)));
  return (event) =>
    (closed === null || event.closed() === closed) &&
    (active === null || event.active() === active) &&
    (live === null || (JSON.parse(event.json()) as { live?: boolean }).live === live) &&
    (ids.length === 0 || ids.includes(event.id)) &&
    (slugs.length === 0 || slugs.includes(event.slug)) &&
    (!tagSlug || event.tags.some((tag) => tag.slug === tagSlug)) &&
    (tagIds.length === 0 || tagged(event, tagIds)) &&
    (excluded.length === 0 || !tagged(event, excluded)) &&
    (!game || String(event.fields.gameId) === game) &&
    (series.length === 0 || seriesOf(event).some((row) => series.includes(String(row.id)))) &&
    (!search || String(event.fields.title).toLowerCase().includes(search)) &&
    (!date || event.fields.eventDate === date) &&
    ranges.every((inRange) => inRange(event));
}

function seriesOf(event: EventB): Record<string, unknown>[] {
  return Array.isArray(event.fields.series) ? (event.fields.series as Record<string, unknown>[]) : [];
}

function distinct(rows: readonly Record<string, unknown>[]): Record<string, unknown>[] {
  return [...new Map(rows.map((row) => [String(row.id), row])).values()];
}
