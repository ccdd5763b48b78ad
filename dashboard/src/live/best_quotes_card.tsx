import { count, exactDollars, NO_VALUE } from '../components/format.ts';
import { ScrollTable } from '../components/scroll_table.tsx';
import { formatPrice } from './amounts.ts';
import type { MarketDetail } from './frames.ts';
import type { MarketClock } from './market_clock.ts';
import { MarketAgo } from './market_times.tsx';

type Best = NonNullable<MarketDetail['best']>[number];
type Quote = NonNullable<Best['buy']>;

/** The best price of each outcome over both venues, after the taker fee of one contract. */
export function BestQuotesCard({ market, clock }: { market: MarketDetail; clock: MarketClock }) {
  const best = new Map(market.best?.map((one) => [one.outcome, one]));
  if (best.size === 0) return null;
  return (
    <section class="card" aria-labelledby="best">
      <div class="card-head">
        <h2 id="best">Best of both venues</h2>
        <p class="small muted">
          After the taker fee of one contract, as of <MarketAgo at={market.priced_at} clock={clock} />.
        </p>
      </div>
      <ScrollTable label="The best quote of each outcome over both venues">
        <table class="table best-table">
          <thead>
            <tr>
              <th scope="col">Outcome</th>
              <th scope="col">Buy</th>
              <th scope="col" class="number">
                Offered
              </th>
              <th scope="col">Sell</th>
              <th scope="col" class="number">
                Wanted
              </th>
            </tr>
          </thead>
          <tbody>
            {market.outcomes.map(({ key, name }) => {
              const { buy = null, sell = null } = best.get(key) ?? {};
              return (
                <tr key={key}>
                  <th scope="row">
                    <span>{name}</span>
                  </th>
                  <td data-of="Buy">
                    <QuoteText quote={buy} sign="plus" none="No ask with a known fee" />
                  </td>
                  <td class="number" data-of="Offered">
                    <span>{sizeOf(buy)}</span>
                  </td>
                  <td data-of="Sell">
                    <QuoteText quote={sell} sign="less" none="No bid with a known fee" />
                  </td>
                  <td class="number" data-of="Wanted">
                    <span>{sizeOf(sell)}</span>
                  </td>
                </tr>
              );
            })}
          </tbody>
        </table>
      </ScrollTable>
    </section>
  );
}

function QuoteText({ quote, sign, none }: { quote: Quote | null; sign: 'plus' | 'less'; none: string }) {
  if (!quote) return <span class="muted">{none}</span>;
  return (
    <span class="quote">
      <span class={`swatch ${quote.venue}`} aria-hidden="true" />
      <span class="visually-hidden">{quote.venue} </span>
      <strong title={`${exactDollars(quote.net)} for one contract on ${quote.venue}`}>{formatPrice(quote.net)}</strong>
      <span class="muted small">
        {formatPrice(quote.price)} {sign} {formatPrice(quote.fee)} fee
        {quote.side === 'no' && ' · NO side'}
      </span>
    </span>
  );
}

const sizeOf = (quote: Quote | null): string =>
  quote === null ? NO_VALUE : quote.size === null ? 'unknown' : count(Math.floor(quote.size));
