import { toSafeWord } from '../untrusted_text.ts';
import type { Frame, WatchResult } from '../watch.ts';
import { countText, points, price, second, trimmed } from './amounts.ts';
import { type Opportunity, renderRisks } from './opportunities.ts';

/** Maximum of frames in the text. The structured content has all frames. */
const MAX_RENDERED_FRAMES = 10;

export function renderWatch(result: WatchResult): string {
  const total = result.frames.length + result.omitted;
  const rendered = result.frames.slice(-MAX_RENDERED_FRAMES);
  return [
    `Watched live for ${result.seconds} s to ${countText(result.market_ids.length, 'market')}: ${countText(total, 'frame')}${total > rendered.length ? `, the last ${rendered.length} follow` : ''}.`,
    ...result.unheard.map((one) => `Not watched: ${one.id} (${one.code}).`),
    ...(result.ended === null ? [] : [`Ended early: ${result.ended}.`]),
    ...(result.lost ? ['Some frames are missing: the publication log does not reach back to them.'] : []),
    ...result.market_ids.map((id, at) => `m${at + 1}: ${id}`),
    ...result.now.map((frame) => `At the start: ${renderFrame(frame, result.market_ids)}`),
    ...rendered.map((frame) => renderFrame(frame, result.market_ids)),
  ].join('\n');
}

/** A market by its place in the list above the frames: an id would take 20 tokens in each. */
function shortId(id: string | undefined, ids: readonly string[]): string {
  const place = ids.indexOf(id ?? '');
  return place < 0 ? String(id) : `m${place + 1}`;
}

type OutcomeAsks = { key: string; venue_a: number | null; venue_b: number | null };
type RenderedOpportunity = Pick<Opportunity, 'id' | 'market_id' | 'edge_pct' | 'max_contracts' | 'risks'>;

function renderFrame(frame: Frame, ids: readonly string[]): string {
  const id = shortId(frame.id, ids);
  switch (frame.type) {
    case 'price':
    case 'market': {
      const outcomes = (frame.outcomes ?? []) as OutcomeAsks[];
      const asks = outcomes
        .map((one) => `${toSafeWord(one.key)} ${price(one.venue_a)}/${price(one.venue_b)}`)
        .join(', ');
      return `${second(frame.priced_at)} ${id} signal ${frame.signal}, gap ${points(frame.spread_pts)}; asks (venue_a/venue_b) ${asks || `none (${toSafeWord(frame.void ?? 'unpriced')})`}`;
    }
    case 'opportunity': {
      const one = frame.opportunity as RenderedOpportunity;
      return `${shortId(one.market_id, ids)} opportunity ${frame.state}: edge ${trimmed(one.edge_pct, 4)} pts, ${one.max_contracts} contracts (${one.id}); risks: ${renderRisks(one)}`;
    }
    case 'market_status':
      return `${id} went from ${frame.from} to ${frame.to}`;
    default:
      return `${id} ${frame.type}`;
  }
}

export const renderTicket = (body: Record<string, unknown>): string =>
  `Ticket for one connection to ${body.ws_url}, valid for ${body.expires_in} s: send it as data.t of the connect command (Centrifugal protocol, JSON).`;
