import { expect } from 'vitest';
import type { Sql } from '../../local/platform/postgres/template.ts';
import type { Frame, Market, Opportunity } from './support.ts';

/** What a listener knows who has heard a channel from its first frame, and nothing else. */
export class Rebuilt {
  readonly markets = new Map<string, Market>();
  readonly opportunities = new Map<string, Opportunity>();

  apply(frames: readonly Frame[]): void {
    for (const frame of frames) this.one(frame);
  }

  private one(frame: Frame): void {
    if (frame.type === 'market') {
      const { type: _, ...market } = frame;
      this.markets.set(market.id, market);
    } else if (frame.type === 'market_removed') {
      expect(this.markets.delete(frame.id), `${frame.id} was there to be removed`).toBe(true);
    } else if (frame.type === 'price') {
      const market = this.markets.get(frame.id);
      if (!market) throw new Error(`a price of ${frame.id}, which nobody was told of`);
      const { type: _, void: __, outcomes, ...rest } = frame;
      this.markets.set(frame.id, {
        ...market,
        ...rest,
        coverage: {
          venue_a: outcomes.some((outcome) => outcome.venue_a !== null),
          venue_b: outcomes.some((outcome) => outcome.venue_b !== null),
        },
        // A Market without books names no contract: `side` belongs to the book of venue_a.
        outcomes: outcomes.map(({ side: _, ...outcome }) => ({
          ...outcome,
          name: outcome.key.toUpperCase(),
          cheaper: cheaper(outcome),
        })),
      });
    } else if (frame.type === 'opportunity') {
      const { id } = frame.opportunity;
      expect(this.opportunities.has(id), `${frame.state} ${id}`).toBe(frame.state !== 'opened');
      if (frame.state === 'closed') this.opportunities.delete(id);
      else this.opportunities.set(id, frame.opportunity);
    }
  }

  /** As `truth` gives it: markets that are not over, by id. */
  state() {
    const trading = [...this.markets.values()].filter((market) =>
      ['open', 'live', 'resolving'].includes(market.status),
    );
    return {
      markets: trading.map(comparable).sort((one, other) => (one.id < other.id ? -1 : 1)),
      opportunities: [...this.opportunities.values()].sort((one, other) => (one.id < other.id ? -1 : 1)),
    };
  }
}

const cheaper = ({ venue_a, venue_b }: { venue_a: number | null; venue_b: number | null }) =>
  venue_a === null || venue_b === null || venue_a === venue_b ? null : venue_a < venue_b ? 'venue_a' : 'venue_b';

/** An unpriced Market carries the time of its identity, a price frame that of the books: neither says when it was priced. */
export function comparable(market: Market): Market {
  const { priced_at, books_read_at, ...rest } = market;
  const settlement = 'settlement' in rest ? rest.settlement : undefined;
  const priced = market.outcomes.length > 0;
  return {
    ...rest,
    ...(settlement ? { settlement } : {}),
    priced_at: priced ? priced_at : '',
    books_read_at: priced ? books_read_at : { venue_a: '', venue_b: '' },
  };
}

/** The same from the tables, by the renderers of REST: every pair of the channel with its newest frame, every window that may be shown. */
export async function truth(sql: Sql, channel: string): Promise<ReturnType<Rebuilt['state']>> {
  const rows = await sql<{ market: string; read_a: Date | null; read_b: Date | null }[]>`
    select price.market_json(r.head, r.outcomes, r.tail, r.ids, r.settlement) as market, l.read_a, l.read_b
    from price.render(array(
      select row(p.pair_id, true, case when l.pair_id is not null then row(l.*)::price.price_update end)::price.render_input
      from catalog.pairs p
      left join price.latest l on l.pair_id = p.pair_id
    )) r
    left join price.latest l on l.pair_id = r.pair_id
    where r.status in ('open', 'live', 'resolving')
      and case when r.stage = 'catalog' then 'markets:all' else 'candidates:' || coalesce(r.sport, r.category) end = ${channel}
    order by r.pair_id`;
  const opportunities = await sql<{ json: string }[]>`
    select arb.opportunity_json(p, w.window_id, w.opened_at, s) as json
    from arb.windows w
    join lateral (select * from arb.states x where x.window_id = w.window_id order by x.state_no desc limit 1) s on true
    join catalog.pairs p on p.pair_id = w.pair_id
    where w.closed_at = 'infinity'
      and ${channel} = 'markets:all'
      and arb.closed_because(w.pair_id) is null
    order by 'opp_' || w.window_id`;
  return {
    markets: rows.map(({ market, read_a, read_b }) => {
      const { settlement, ...rest } = JSON.parse(market) as Market & { settlement: Record<string, unknown> };
      const { venue_a_text: _, venue_b_text: __, ...kept } = settlement;
      const read = { venue_a: read_a?.toISOString() ?? null, venue_b: read_b?.toISOString() ?? null };
      return comparable({ ...rest, ...{ settlement: kept }, books_read_at: read });
    }),
    opportunities: opportunities.map(({ json }) => JSON.parse(json) as Opportunity),
  };
}
