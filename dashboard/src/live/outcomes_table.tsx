import { ScrollTable } from '../components/scroll_table.tsx';
import { SpreadCell, VenueAsks } from './ask_prices.tsx';
import type { MarketDetail, Outcome } from './frames.ts';
import { spreadOf } from './sort_order.ts';
import { bidOf, depthOf } from './stale.ts';

type BookOfA = NonNullable<MarketDetail['outcomes'][number]['venue_a_book']>;

/** Each outcome with the asks, bids and sizes at the ask of both venues. */
export function OutcomesTable({ outcomes, books }: { outcomes: readonly Outcome[]; books: MarketDetail['outcomes'] }) {
  const bookOf = new Map(books.map((outcome) => [outcome.key, outcome]));
  return (
    <ScrollTable label="Prices on both venues">
      <table class="table outcomes-table">
        <thead>
          <tr>
            <th scope="col">Outcome</th>
            <th scope="col">Ask</th>
            <th scope="col" class="number">
              Spread, pts
            </th>
            <th scope="col">Bid</th>
            <th scope="col">Size at the ask</th>
          </tr>
        </thead>
        <tbody>
          {outcomes.map((outcome) => {
            const book = bookOf.get(outcome.key);
            return (
              <tr key={outcome.key}>
                <th scope="row">
                  <span>{outcome.name}</span>
                  {outcome.relation && outcome.relation !== 'EXACT' && <Relation outcome={outcome} />}
                  {book?.venue_a_book && <Contract book={book.venue_a_book} />}
                </th>
                <td data-of="Ask">
                  <VenueAsks outcome={outcome} />
                </td>
                <td class="number" data-of="Spread, pts">
                  <SpreadCell points={spreadOf(outcome)} />
                </td>
                <td data-of="Bid">
                  <Pair
                    one={bidOf(book?.venue_a_book, outcome.venue_a)}
                    other={bidOf(book?.venue_b_book, outcome.venue_b)}
                  />
                </td>
                <td data-of="Size at the ask">
                  <Pair
                    one={depthOf(book?.venue_a_book, outcome.venue_a)}
                    other={depthOf(book?.venue_b_book, outcome.venue_b)}
                  />
                </td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </ScrollTable>
  );
}

/**
 * The venue_a contract and side of this row. One contract can price two outcomes, as YES and as NO.
 */
function Contract({ book }: { book: BookOfA }) {
  return (
    <small class="muted contract-of">
      venue_a: {book.side === 'no' ? 'NO' : 'YES'} on <code>{book.ticker}</code>
    </small>
  );
}

function Relation({ outcome }: { outcome: Outcome }) {
  if (outcome.relation === 'DERIVED') return <small class="muted"> derived from venue_a thresholds</small>;
  return <small class="muted"> overlaps {outcome.venue_a_span?.join(', ') ?? 'other ranges'} on venue_a</small>;
}

function Pair({ one, other }: { one: string; other: string }) {
  return (
    <span class="asks">
      <span class="ask">
        <span class="swatch venue_a" aria-hidden="true" />
        <span class="visually-hidden">venue_a </span>
        {one}
      </span>
      <span class="ask">
        <span class="swatch venue_b" aria-hidden="true" />
        <span class="visually-hidden">venue_b </span>
        {other}
      </span>
    </span>
  );
}
