import { expect, it } from 'vitest';
import type { OnLoss } from '../../local/venue_simulator/faults/faults.ts';
import { FaultyConnection } from '../../local/venue_simulator/faults/faulty_connection.ts';
import { VirtualTime } from '../support/virtual_time.ts';

const priceChange = (...tokens: string[]) =>
  JSON.stringify({ event_type: 'price_change', price_changes: tokens.map((asset_id) => ({ asset_id, price: '0.5' })) });
const bestBidAsk = (asset_id: string) => JSON.stringify({ event_type: 'best_bid_ask', asset_id });
const delta = (market_ticker: string) =>
  JSON.stringify({ type: 'orderbook_delta', sid: 1, seq: 1, msg: { market_ticker } });

it('a gap loses one message about books, and reports its contracts and the time until their next message', async () => {
  const received: string[] = [];
  const losses: Parameters<OnLoss>[] = [];
  const time = new VirtualTime();
  const connection = new FaultyConnection((text) => received.push(text), time);
  connection.inject('gap', 0, undefined, (...loss) => losses.push(loss));

  connection.marketData(bestBidAsk('one'));
  connection.marketData(priceChange('one', 'other'));
  connection.marketData(bestBidAsk('one'));
  connection.marketData(priceChange('third'));
  const lostAt = time.now();
  expect(losses).toEqual([[['one', 'other'], lostAt, null]]);
  await time.advance(30);
  connection.marketData(priceChange('one', 'other'));
  connection.marketData(priceChange('other'));
  await time.advance(10);

  expect(received).toEqual([
    bestBidAsk('one'),
    bestBidAsk('one'),
    priceChange('third'),
    priceChange('one', 'other'),
    priceChange('other'),
  ]);
  expect(losses.slice(1)).toEqual([[['one', 'other'], lostAt, 30]]);
});

it('two gaps report their own losses', () => {
  const losses: string[] = [];
  const connection = new FaultyConnection(() => {}, new VirtualTime());
  for (const gap of ['first', 'second']) {
    connection.inject('gap', 0, undefined, (contracts, _at, lasted) =>
      losses.push(`${gap} ${contracts} ${lasted !== null}`),
    );
  }
  for (const ticker of ['A', 'B', 'B', 'A', 'A']) connection.marketData(delta(ticker));
  expect(losses).toEqual(['first A false', 'second B false', 'second B true', 'first A true']);
});

it('a reordered message is sent after a delay when no other message overtakes it', async () => {
  const received: string[] = [];
  const time = new VirtualTime();
  const connection = new FaultyConnection((text) => received.push(text), time);
  connection.inject('reorder', 200);
  connection.marketData(delta('A'));
  connection.marketData(delta('B'));
  await time.advance(10);
  expect(received).toEqual([delta('B'), delta('A')]);
  connection.inject('reorder', 200);
  connection.marketData(delta('C'));
  await time.advance(199);
  expect(received).toHaveLength(2);
  await time.advance(1);
  expect(received.slice(2)).toEqual([delta('C')]);
});
