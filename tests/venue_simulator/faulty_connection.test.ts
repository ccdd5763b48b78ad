import { expect, it } from 'vitest';
import { FaultyConnection, type LossTold } from '../../local/venue_simulator/faults/faulty_connection.ts';
import { pause } from '../support/wait_until.ts';

const change = (...tokens: string[]) =>
  JSON.stringify({ event_type: 'price_change', price_changes: tokens.map((asset_id) => ({ asset_id, price: '0.5' })) });
const best = (asset_id: string) => JSON.stringify({ event_type: 'best_bid_ask', asset_id });
const delta = (market_ticker: string) =>
  JSON.stringify({ type: 'orderbook_delta', sid: 1, seq: 1, msg: { market_ticker } });

it('a gap loses one message about books and no other, and tells whose and until when nothing more was said of them', async () => {
  const heard: string[] = [];
  const told: Parameters<LossTold>[] = [];
  const line = new FaultyConnection((text) => heard.push(text));
  line.pull('gap', 0, undefined, (...loss) => told.push(loss));

  line.marketData(best('one'));
  line.marketData(change('one', 'other'));
  line.marketData(best('one'));
  line.marketData(change('third'));
  expect(told).toEqual([[['one', 'other'], expect.any(Number), null]]);
  await pause(30);
  line.marketData(change('one', 'other'));
  line.marketData(change('other'));
  await pause(10);

  expect(heard).toEqual([best('one'), best('one'), change('third'), change('one', 'other'), change('other')]);
  const [, again] = told;
  expect(told).toHaveLength(2);
  expect(again?.[1]).toBe(told[0]?.[1]);
  expect(again?.[2]).toBeGreaterThanOrEqual(25);
});

it('each of two gaps tells of its own', () => {
  const told: string[] = [];
  const line = new FaultyConnection(() => {});
  for (const gap of ['first', 'second']) {
    line.pull('gap', 0, undefined, (contracts, _at, lasted) => told.push(`${gap} ${contracts} ${lasted !== null}`));
  }
  for (const ticker of ['A', 'B', 'B', 'A', 'A']) line.marketData(delta(ticker));
  expect(told).toEqual(['first A false', 'second B false', 'second B true', 'first A true']);
});

it('a message that is to be overtaken and is not comes all the same: a line with one quiet book withholds nothing', async () => {
  const heard: string[] = [];
  const line = new FaultyConnection((text) => heard.push(text));
  line.pull('reorder', 200);
  line.marketData(delta('A'));
  line.marketData(delta('B'));
  await pause(10);
  expect(heard).toEqual([delta('B'), delta('A')]);
  line.pull('reorder', 200);
  line.marketData(delta('C'));
  await pause(100);
  expect(heard).toHaveLength(2);
  await pause(250);
  expect(heard.slice(2)).toEqual([delta('C')]);
});
