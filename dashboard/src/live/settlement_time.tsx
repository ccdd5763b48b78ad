import { exactUtc, relative } from '../components/format.ts';
import type { MarketClock } from './market_clock.ts';
import type { MarketTerms } from './market_terms.ts';

/**
 * When both venues expect to have settled; nothing where neither states a time. It counts hours, so
 * it is drawn again with its row only.
 */
export function SettlementTime({ terms, clock }: { terms: MarketTerms | undefined; clock: MarketClock }) {
  const at = terms?.expectedSettlementAt;
  if (!at) return null;
  const away = Date.parse(at) - clock.now();
  return (
    <time
      dateTime={at}
      class="muted nowrap"
      title={`Both venues expect to have settled by ${exactUtc(at)}. A venue may pay earlier or later.`}
    >
      {away > 0 ? `Settles ${relative(Date.parse(at), clock.now())}` : 'Settlement due'}
    </time>
  );
}
