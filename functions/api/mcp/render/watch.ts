import { toSafeWord } from '../untrusted_text.ts';
import type { Frame, WatchResult } from '../watch.ts';
import { countText, points, price, second, trimmed } from './amounts.ts';
import { type Opportunity, renderRisks } from './opportunities.ts';

/** Frames that are shown in the text; the structured content has them all. */
const MAX_RENDERED_FRAMES = 20;

export function renderWatch(watched: WatchResult): string {
  const seen = watched.frames.length + watched.omitted;
  const told = watched.frames.slice(-MAX_RENDERED_FRAMES);
  return [
    `Listened live for ${watched.seconds} s to ${countText(watched.market_ids.length, 'market')}: ${countText(seen, 'frame')}${seen > told.length ? `, the last ${told.length} shown` : ''}.`,
    ...watched.unheard.map((one) => `Not heard: ${one.id} (${one.code}).`),
    ...(watched.ended === null ? [] : [`Ended early: ${watched.ended}.`]),
    ...(watched.lost ? ['Some frames were missed: the log does not reach back.'] : []),
    ...watched.now.map((frame) => `At the start: ${renderFrame(frame)}`),
    ...told.map(renderFrame),
  ].join('\n');
}

type OutcomeAsks = { key: string; venue_a: number | null; venue_b: number | null };
type RenderedOpportunity = Pick<Opportunity, 'id' | 'market_id' | 'edge_pct' | 'max_contracts' | 'risks'>;

function renderFrame(frame: Frame): string {
  switch (frame.type) {
    case 'price':
    case 'market': {
      const outcomes = (frame.outcomes ?? []) as OutcomeAsks[];
      const asks = outcomes
        .map((one) => `${toSafeWord(one.key)} ${price(one.venue_a)}/${price(one.venue_b)}`)
        .join(', ');
      return `${second(frame.priced_at)} ${frame.id} signal ${frame.signal}, gap ${points(frame.spread_pts)}; asks (venue_a/venue_b) ${asks || `none (${toSafeWord(frame.void ?? 'unpriced')})`}`;
    }
    case 'opportunity': {
      const one = frame.opportunity as RenderedOpportunity;
      return `${one.market_id} opportunity ${frame.state}: edge ${trimmed(one.edge_pct, 4)} pts, ${one.max_contracts} contracts (${one.id}); risks: ${renderRisks(one)}`;
    }
    case 'market_status':
      return `${frame.id} went from ${frame.from} to ${frame.to}`;
    default:
      return `${frame.id} ${frame.type}`;
  }
}

export const renderTicket = (answer: Record<string, unknown>): string =>
  `A ticket for one connection to ${answer.ws_url}, good for ${answer.expires_in} s: send it as data.t of the connect command (Centrifugal protocol, JSON).`;
