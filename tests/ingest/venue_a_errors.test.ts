import { describe, expect, it } from 'vitest';
import { VenueAStream } from '../../functions/ingest/venue_a/stream.ts';
import { createBookStore } from './book_store_fixtures.ts';

/** Guarantee: each error of venue_a's socket leads to a smaller, later or new request. */

type Sent = { id: number; cmd: string; params: { action?: string; market_tickers: string[] } };

function openStream(tickers: readonly string[]) {
  const { store, invalidReason } = createBookStore([...tickers]);
  const sent: Sent[] = [];
  const calls: string[] = [];
  const stream = new VenueAStream(store, {
    send: (command) => sent.push(command as Sent),
    reject: (row) => calls.push(`reject ${row.native_id}`),
    reconnect: (reason) => calls.push(`reconnect ${reason}`),
    onKeyRejected: () => calls.push('key'),
    onOverflow: () => calls.push('overflow'),
    onMarketLimit: (limit) => calls.push(`limit ${limit}`),
  });
  stream.subscribe(tickers, 0);
  stream.onOpen(0);
  const receive = (message: unknown, now = 0) => stream.receive(JSON.stringify(message), now, now);
  const fail = (code: number, id: number | undefined, now = 0) =>
    receive({ type: 'error', ...(id === undefined ? {} : { id }), msg: { code, msg: 'no' } }, now);
  return { stream, sent, calls, receive, fail, invalidReason };
}
const names = (count: number) => Array.from({ length: count }, (_, at) => `T${at}`);
const sizes = (sent: readonly Sent[]) => sent.map(({ params }) => params.market_tickers.length);

describe('errors of the socket of venue_a', () => {
  it.each([10, 17])('error %i ends the subscription, so the feed opens another socket', (code) => {
    const { fail, calls } = openStream(['A']);
    fail(code, undefined);
    expect(calls).toEqual([`reconnect error ${code}`]);
  });

  it('error 26 on the first command halves it and hands over all other tickers', () => {
    const { stream, sent, calls, fail } = openStream(names(150));
    expect(sizes(sent)).toEqual([100]);
    fail(26, sent[0]?.id);
    expect([sizes(sent), calls, stream.contracts.size]).toEqual([[100, 50], ['limit 50'], 50]);
    fail(26, sent[1]?.id);
    expect([sizes(sent), calls.at(-1), stream.contracts.size]).toEqual([[100, 50, 25], 'limit 25', 25]);
  });

  it('error 26 on added tickers hands over these and keeps the others', () => {
    const { stream, sent, calls, receive, fail } = openStream(names(250));
    receive({ type: 'subscribed', id: sent[0]?.id, msg: { channel: 'orderbook_delta', sid: 7 } });
    expect(sizes(sent)).toEqual([100, 100, 50]);
    fail(26, sent[1]?.id);
    // The third command is not answered yet.
    expect([calls, stream.contracts.size]).toEqual([['limit 100'], 150]);
    fail(26, sent[2]?.id);
    expect([calls.at(-1), stream.contracts.size]).toEqual(['limit 100', 100]);
  });

  it('error 26 that names no command splits the connection, and one for a single ticker is retried', () => {
    const unnamed = openStream(names(10));
    unnamed.fail(26, undefined);
    expect(unnamed.calls).toEqual(['overflow']);
    const single = openStream(['A']);
    single.fail(26, single.sent[0]?.id);
    expect([single.calls, sizes(single.sent)]).toEqual([['reject 26'], [1, 1]]);
  });

  it('error 27 makes the command wait longer each time, and further commands go out one a second', () => {
    const { stream, sent, calls, receive, fail } = openStream(names(250));
    fail(27, sent[0]?.id, 0);
    stream.onTimer(1_000);
    expect(sent).toHaveLength(1);
    stream.onTimer(2_000);
    expect(sent).toHaveLength(2);
    fail(27, sent[1]?.id, 2_000);
    stream.onTimer(5_000);
    expect(sent).toHaveLength(2);
    stream.onTimer(6_000);
    receive({ type: 'subscribed', id: sent[2]?.id, msg: { channel: 'orderbook_delta', sid: 7 } }, 6_100);
    // Two further commands: neither goes out together with the first.
    expect(sizes(sent)).toEqual([100, 100, 100]);
    for (const now of [6_500, 7_000, 7_500, 8_000]) stream.onTimer(now);
    expect(sizes(sent)).toEqual([100, 100, 100, 100, 50]);
    expect(calls).toEqual([]);
  });

  it('snapshots of commands that wait are not overdue', () => {
    const { stream, sent, calls, fail } = openStream(names(20));
    for (let now = 0; now < 120_000; now += 1_000) {
      stream.onTimer(now);
      const last = sent.at(-1);
      if (last && now > 0) fail(27, last.id, now);
    }
    expect(calls).toEqual([]);
    expect(sent.length).toBeLessThan(12);
  });
});
