import { count, dollars } from '../components/format.ts';
import type { MarketTerms } from './market_terms.ts';

const compact = new Intl.NumberFormat('en-US', { notation: 'compact', maximumSignificantDigits: 3 });

/**
 * What was traded in the event of the market, on each venue that states it: contracts on venue_a,
 * USD on venue_b.
 */
export function TradedVolume({ terms }: { terms: MarketTerms | undefined }) {
  const { venue_a = null, venue_b = null } = terms?.volume ?? {};
  if (venue_a === null && venue_b === null) return null;
  return (
    <span class="volume muted">
      {venue_a !== null && (
        <span title={`Traded in this event on venue_a: ${count(venue_a)} contracts`}>
          <span class="swatch venue_a" aria-hidden="true" />
          <span class="visually-hidden">Traded on venue_a, contracts: </span>
          {compact.format(venue_a)}
        </span>
      )}
      {venue_b !== null && (
        <span title={`Traded in this event on venue_b: ${dollars(venue_b)}`}>
          <span class="swatch venue_b" aria-hidden="true" />
          <span class="visually-hidden">Traded on venue_b: </span>${compact.format(venue_b)}
        </span>
      )}
    </span>
  );
}
