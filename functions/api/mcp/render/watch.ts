import { word } from '../untrusted_text.ts';
import type { Frame, Watched } from '../watch.ts';
import { counted, points, price, second, trimmed } from './amounts.ts';
import { type Opportunity, risksOf } from './opportunities.ts';

/** Frames that are shown in the text; the structured content has them all. */
const mostTold = 20;

export function tellWatched(watched: Watched): string {
  const seen = watched.frames.length + watched.omitted;
  const told = watched.frames.slice(-mostTold);
  return [
    `Listened live for ${watched.seconds} s to ${counted(watched.market_ids.length, 'market')}: ${counted(seen, 'frame')}${seen > told.length ? `, the last ${told.length} shown` : ''}.`,
    ...watched.unheard.map((one) => `Not heard: ${one.id} (${one.code}).`),
    ...(watched.ended === null ? [] : [`Ended early: ${watched.ended}.`]),
    ...(watched.lost ? ['Some frames were missed: the log does not reach back.'] : []),
    ...watched.now.map((frame) => `At the start: ${frameText(frame)}`),
    ...told.map(frameText),
  ].join('\n');
}

type Asked = { key: string; venue_a: number | null; venue_b: number | null };
type Shown = Pick<Opportunity, 'id' | 'market_id' | 'edge_pct' | 'max_contracts' | 'risks'>;

function frameText(frame: Frame): string {
  switch (frame.type) {
    case 'price':
    case 'market': {
      const outcomes = (frame.outcomes ?? []) as Asked[];
      const asks = outcomes.map((one) => `${word(one.key)} ${price(one.venue_a)}/${price(one.venue_b)}`).join(', ');
      return `${second(frame.priced_at)} ${frame.id} signal ${frame.signal}, gap ${points(frame.spread_pts)}; asks (venue_a/venue_b) ${asks || `none (${word(frame.void ?? 'unpriced')})`}`;
    }
    case 'opportunity': {
      const one = frame.opportunity as Shown;
      return `${one.market_id} opportunity ${frame.state}: edge ${trimmed(one.edge_pct, 4)} pts, ${one.max_contracts} contracts (${one.id}); risks: ${risksOf(one)}`;
    }
    case 'market_status':
      return `${frame.id} went from ${frame.from} to ${frame.to}`;
    default:
      return `${frame.id} ${frame.type}`;
  }
}

export const tellTicket = (answer: Record<string, unknown>): string =>
  `A ticket for one connection to ${answer.ws_url}, good for ${answer.expires_in} s: send it as data.t of the connect command (Centrifugal protocol, JSON).`;
