import type { Frame } from '../../client/src/frames.ts';
import { market, price } from './live_scenarios.ts';

// Every type of frame, each also where it concerns no known row, and the rows that remain.

const opportunity = (id: string, market_id: string, edge_pct: number) => ({ id, market_id, edge_pct });
const quote = (contract_id: string, side: string | null, bid: number | null, ask: number | null) => ({
  ...{ type: 'quote', market_id: 'm1', venue: side === null ? 'venue_b' : 'venue_a', contract_id, side, bid, ask },
});
const outcome = (key: string, venue_a: number | null, venue_b: number | null, cheaper: string | null) => ({
  ...{ key, name: `Name of ${key}`, venue_a, venue_b, cheaper },
});

const named = (id: string) =>
  market(id, { outcomes: [outcome('home', null, null, null), outcome('draw', 0.1, 0.2, 'venue_a')] });

export const frames = [
  { type: 'market', ...named('m1') },
  { type: 'market', ...named('m2') },
  { type: 'market', ...market('m3') },
  { type: 'market', ...market('m4') },
  // An outcome that the frame lacks has no price. One that the market lacks has its key as its
  // name.
  price(7, 'm1', [
    ['home', 0.4, 0.41],
    ['away', 0.55, 0.55],
  ]),
  price(8, 'm2', [
    ['home', null, 0.3],
    ['draw', 0.25, 0.24],
  ]),
  price(9, 'unknown', [['home', 0.1, 0.2]]),
  { type: 'market_status', id: 'm3', from: 'open', to: 'live' },
  { type: 'market_status', id: 'm3', from: 'open', to: 'closed' },
  { type: 'market_status', id: 'unknown', from: 'open', to: 'live' },
  { type: 'opportunity', state: 'opened', opportunity: opportunity('o1', 'm1', 1.5) },
  { type: 'opportunity', state: 'opened', opportunity: opportunity('o2', 'm2', 2.5) },
  { type: 'opportunity', state: 'updated', opportunity: opportunity('o1', 'm1', 1.7) },
  { type: 'opportunity', state: 'opened', opportunity: opportunity('o4', 'm4', 4.5) },
  { type: 'opportunity', state: 'opened', opportunity: opportunity('o5', 'm1', 5.5) },
  {
    type: 'opportunity',
    state: 'closed',
    closed_at: 'x',
    reason: 'edge.gone',
    opportunity: opportunity('o2', 'm2', 2),
  },
  { type: 'opportunity', state: 'closed', opportunity: opportunity('unknown', 'm2', 2) },
  { type: 'market_removed', id: 'm4', reason: 'withdrawn' },
  { type: 'market_removed', id: 'unknown', reason: 'withdrawn' },
  { type: 'feed', venue: 'venue_a', state: 'up', last_message_at: 'a1' },
  { type: 'feed', venue: 'venue_b', state: 'down', last_message_at: null },
  { type: 'feed', venue: 'venue_a', state: 'stale', last_message_at: 'a2' },
  quote('KX', 'yes', 0.4, 0.42),
  quote('KX', 'no', 0.58, 0.6),
  quote('77', null, 0.3, null),
  quote('78', null, null, 0.35),
  quote('KX', 'yes', 0.41, 0.42),
  quote('78', null, null, null),
  { type: 'best', id: 'm1', best: [{ outcome: 'home', buy: null, sell: null }], best_edge_pct: 1 },
  { type: 'best', id: 'm2', best: [{ outcome: 'home', buy: null, sell: null }], best_edge_pct: 2 },
  { type: 'best', id: 'm2', best: [], best_edge_pct: null },
] as unknown as Frame[];

const priced = (n: number) => ({ spread_pts: n, priced_at: `at ${n}` });

export const rowsAfterFrames = {
  markets: {
    m1: {
      ...{ ...priced(7), status: 'open', coverage: { venue_a: true, venue_b: true } },
      outcomes: [
        outcome('home', 0.4, 0.41, 'venue_a'),
        outcome('draw', null, null, null),
        { ...outcome('away', 0.55, 0.55, null), name: 'away' },
      ],
    },
    m2: {
      ...{ ...priced(8), coverage: { venue_a: true, venue_b: true } },
      outcomes: [outcome('home', null, 0.3, null), outcome('draw', 0.25, 0.24, 'venue_b')],
    },
    m3: { status: 'live', priced_at: 'then', coverage: { venue_a: false, venue_b: false } },
  },
  opportunities: { o1: { edge_pct: 1.7 }, o5: { edge_pct: 5.5 } },
  quotes: [quote('KX', 'yes', 0.41, 0.42), quote('KX', 'no', 0.58, 0.6), quote('77', null, 0.3, null)],
  best: { m1: { best_edge_pct: 1 } },
  feeds: {
    venue_a: { state: 'stale', last_message_at: 'a2' },
    venue_b: { state: 'down', last_message_at: null },
  },
};
