import type { Sql } from '../../local/platform/postgres/template.ts';
import { comparable, type Market, type Opportunity, type ReplayedState } from '../support/replayed_state.ts';

/**
 * The state that a ReplayedState must reach, read from the tables with the renderers of REST: each
 * pair of the channel with its newest price update, and each open opportunity whose gates are open.
 */
export async function expectedState(sql: Sql, channel: string): Promise<ReturnType<ReplayedState['state']>> {
  const rows = await sql<{ market: string; read_a: Date | null; read_b: Date | null }[]>`
    select price.market_json(r.head, r.outcomes, r.tail, r.ids, r.settlement) as market, l.read_a, l.read_b
    from price.render_rows(array(
      select row(p.pair_id, true, case when l.pair_id is not null then row(l.*)::price.price_update end, false, null)::price.render_input
      from catalog.pairs p
      left join price.latest_updates l on l.pair_id = p.pair_id
    )) r
    left join price.latest_updates l on l.pair_id = r.pair_id
    where r.status in ('open', 'live', 'resolving')
      and case when r.stage = 'catalog' then 'markets:all' else 'candidates:' || coalesce(r.sport, r.category) end = ${channel}
    order by r.pair_id`;
  const opportunities = await sql<{ json: string }[]>`
    select arb.opportunity_json(p, w.opportunity_id, w.opened_at, s) as json
    from arb.opportunities w
    join lateral (select * from arb.opportunity_states x where x.opportunity_id = w.opportunity_id order by x.state_no desc limit 1) s on true
    join catalog.pairs p on p.pair_id = w.pair_id
    where w.closed_at = 'infinity'
      and ${channel} = 'markets:all'
      and arb.gate_close_reason(w.pair_id) is null
    order by 'opp_' || w.opportunity_id`;
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
