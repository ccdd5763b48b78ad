import { isObject } from '../../functions/ingest/feeds/parse.ts';
import { outcomeIds } from '../../functions/ingest/identity/text/outcome_ids.ts';
import { wideCondition } from '../../functions/ingest/venue_b/rest.ts';
import { marketsOf, type ReadA } from './endpoints_a.ts';
import { isTraded, marketsIn, type ReadB } from './endpoints_b.ts';
import type { SocketReport } from './sockets.ts';

/**
 * Whether a statement of docs/venues.md, section G, holds. `warning`: the product handles it, and
 * an operator should know of it. `not checked`: nothing that was read shows it.
 */
export type Fact = { id: string; state: 'ok' | 'warning' | 'failed' | 'not checked'; sentence: string };

/** All that one probe read. `socketA` is null without a key; `keyError`: the key is unusable. */
export type Read = {
  a: ReadA;
  b: ReadB;
  socketA: SocketReport | null;
  socketB: SocketReport;
  keyError: string | null;
  seconds: number;
};

export function factsOf(read: Read): Fact[] {
  return [
    outcomeIdsFact(read.b),
    exchangeIndexFact(read.a),
    handshakeFact(read),
    aliveFact(read),
    booksFact(read.a),
    subscriptionFact(read),
    delayFact(read.b),
    resolutionFact(read.b),
    nullFact(read),
    historyFact(read.a),
  ];
}

type Raw = { [key: string]: unknown };

const fact = (id: string, state: Fact['state'], ...sentences: (string | false)[]): Fact => ({
  id,
  state,
  sentence: sentences.filter(Boolean).join(' '),
});

/** G1: the version of a market decides which ids are traded. */
function outcomeIdsFact({ open, closed }: ReadB): Fact {
  const markets = [...marketsIn(open), ...marketsIn(closed)];
  if (markets.length === 0) return fact('G1', 'not checked', 'No market of venue_b was read.');
  const versions = new Map<string, number>();
  const unusable = new Map<string, number>();
  for (const market of markets) {
    const version = typeof market.version === 'string' ? market.version : 'no version';
    versions.set(version, (versions.get(version) ?? 0) + 1);
    const ids = outcomeIds(market);
    if (!ids.ok && (isTraded(market) || ids.code === 'market.unknown_version'))
      unusable.set(ids.detail, (unusable.get(ids.detail) ?? 0) + 1);
  }
  const counts = [...versions].map(([version, count]) => `${count} with ${version}`).join(', ');
  if (unusable.size > 0) {
    const reasons = [...unusable].map(([reason, count]) => `${count} times: ${reason}`).join(' ');
    return fact('G1', 'failed', `Markets of venue_b have no usable outcome ids (${counts}). ${reasons}`);
  }
  return fact('G1', 'ok', `Every traded market of venue_b has outcome ids by its version (${counts}).`);
}

/** G2: each exchange index has its own status. */
function exchangeIndexFact({ series, page, status }: ReadA): Fact {
  if (page === null || !isObject(status))
    return fact('G2', 'not checked', 'The listings or the exchange status of venue_a were not read.');
  const rows = (Array.isArray(status.exchange_index_statuses) ? status.exchange_index_statuses : []).filter(isObject);
  const listed = new Set<unknown>();
  for (const row of [...page.events, ...page.events.flatMap(marketsOf), ...(series ?? [])])
    if (isObject(row) && typeof row.exchange_index === 'number') listed.add(row.exchange_index);
  const stated = new Set(rows.map((row) => row.exchange_index));
  // The flags at the top are those of index 0.
  stated.add(0);
  const without = [...listed].filter((index) => !stated.has(index));
  const indexes = [...listed].sort().join(', ') || 'none';
  if (without.length > 0) {
    return fact(
      'G2',
      'failed',
      `venue_a lists markets on exchange index ${without.sort().join(', ')}, and its status has no row for it. Their books are held back.`,
    );
  }
  const paused = rows.filter((row) => row.trading_active !== true).map((row) => row.exchange_index);
  if (paused.length > 0)
    return fact(
      'G2',
      'warning',
      `Exchange index ${paused.join(', ')} of venue_a does not trade now (listed: ${indexes}).`,
    );
  return fact('G2', 'ok', `Every exchange index of venue_a that is listed has a status (${indexes}).`);
}

/** G3: authentication is part of the handshake. */
function handshakeFact({ a, socketA, keyError }: Read): Fact {
  if (keyError !== null) return fact('G3', 'failed', `The key of venue_a cannot be used: ${keyError}`);
  if (socketA === null)
    return fact(
      'G3',
      'not checked',
      'No key of venue_a is set, so its socket was not tried. Ingest polls its books without a key.',
    );
  const signed = a.signedStatus === 401 && 'A signed REST request is answered with 401 as well.';
  if (!socketA.opened) {
    const status = socketA.refusedStatus ?? 'no status';
    const reason = socketA.refusedStatus === 401 ? ': the key is wrong or expired' : '';
    return fact(
      'G3',
      'failed',
      `venue_a refuses the handshake of its socket (${status})${reason}. Ingest polls its books instead.`,
      signed,
    );
  }
  if (socketA.errors.includes(9))
    return fact('G3', 'failed', 'venue_a accepts the handshake and sends error 9: the key lacks a right.');
  if (signed) return fact('G3', 'warning', 'venue_a accepts the key at its socket.', signed);
  return fact('G3', 'ok', 'venue_a accepts the key at its socket.');
}

/** G4: only silence shows that a venue is down. */
function aliveFact({ socketA, socketB, seconds }: Read): Fact {
  const sockets = [
    { name: 'venue_a', report: socketA },
    { name: 'venue_b', report: socketB },
  ];
  const problems: string[] = [];
  const alive: string[] = [];
  for (const { name, report } of sockets) {
    if (!report?.opened) {
      if (name === 'venue_b') problems.push('The socket of venue_b did not open.');
    } else if (report.life === 'books') alive.push(name);
    else if (report.life === 'pings')
      problems.push(`The socket of ${name} answers pings and sent no book within ${seconds} s.`);
    else problems.push(`The socket of ${name} sent neither data nor an answer to a ping within ${seconds} s.`);
  }
  return problems.length > 0
    ? fact('G4', 'failed', ...problems)
    : fact('G4', 'ok', `The sockets of ${alive.join(' and ')} sent books within ${seconds} s.`);
}

/** G5: the batch of books may need a key, and may be billed by book. */
function booksFact({ batch, single, costs }: ReadA): Fact {
  if (batch === 'not tried') return fact('G5', 'not checked', 'No active market of venue_a was read.');
  const item = costs?.ofBatchItem ?? null;
  const cost =
    costs !== null &&
    (item === null
      ? 'A batch costs as much as another request.'
      : `A batch is billed ${item * 10} tokens, read as the cost of each book.`);
  if (batch === 'answered') return fact('G5', 'ok', 'venue_a answers batches of order books.', cost);
  if (batch === 'halved')
    return fact(
      'G5',
      'warning',
      'venue_a answers 429 to a batch of 100 order books, and answers a small one. Ingest halves its batches.',
      cost,
    );
  if (single !== 'answered')
    return fact('G5', 'failed', 'venue_a answers neither a batch of order books nor a single one.', cost);
  const why =
    batch === 'refused' ? 'refuses the batch of order books with 401' : 'does not answer the batch of order books';
  return fact(
    'G5',
    'warning',
    `venue_a ${why}, and answers a single one. Ingest reads books one by one, at most 5 a second without a key.`,
    cost,
  );
}

/** G6: limits of a subscription and of the command rate. */
function subscriptionFact({ socketA }: Read): Fact {
  if (!socketA?.opened) return fact('G6', 'not checked', 'The socket of venue_a was not open.');
  const seen = [...new Set(socketA.errors)].sort((x, y) => x - y);
  if (seen.includes(26))
    return fact(
      'G6',
      'warning',
      'venue_a sent error 26: a subscription takes fewer markets than were asked for. Ingest splits it.',
    );
  if (seen.includes(27))
    return fact('G6', 'warning', 'venue_a sent error 27: commands come too fast. Ingest waits and repeats them.');
  if (seen.length > 0) return fact('G6', 'warning', `venue_a sent the errors ${seen.join(', ')} to the subscription.`);
  return fact('G6', 'ok', 'venue_a accepted the subscription without an error.');
}

/** G7: a delay in milliseconds has no documented name. */
function delayFact({ open, closed }: ReadB): Fact {
  const markets = [...marketsIn(open), ...marketsIn(closed)];
  if (markets.length === 0) return fact('G7', 'not checked', 'No market of venue_b was read.');
  const found = new Map<string, unknown>();
  for (const market of markets)
    for (const [name, value] of Object.entries(market))
      if (/delay/i.test(name) && name !== 'secondsDelay' && !found.has(name)) found.set(name, value);
  const delayed = markets.filter(({ secondsDelay }) => typeof secondsDelay === 'number' && secondsDelay > 0).length;
  const known = `${delayed} of ${markets.length} markets of venue_b have a delay in secondsDelay.`;
  if (found.size === 0) return fact('G7', 'ok', known);
  const names = [...found].map(([name, value]) => `${name} = ${JSON.stringify(value)?.slice(0, 40)}`).join(', ');
  return fact('G7', 'warning', `${known} Another field may be a delay: ${names}.`);
}

/** G9: a v2 market is final by its row of the data API. */
function resolutionFact({ conditions, resolutions }: ReadB): Fact {
  if (resolutions === null)
    return fact('G9', 'failed', 'The resolutions of venue_b cannot be read, so no v2 market becomes final.');
  if (conditions.length === 0) return fact('G9', 'not checked', 'The page of closed events has no v2 market.');
  const found = new Set(
    resolutions.flatMap((row) =>
      isObject(row) && typeof row.condition_id === 'string' ? [wideCondition(row.condition_id)] : [],
    ),
  );
  const without = conditions.filter((condition) => !found.has(wideCondition(condition)));
  if (without.length === 0)
    return fact('G9', 'ok', `Each of ${conditions.length} closed v2 markets of venue_b has a resolution.`);
  const state = without.length === conditions.length ? 'failed' : 'warning';
  return fact(
    'G9',
    state,
    `${without.length} of ${conditions.length} closed v2 markets of venue_b have no resolution, such as ${without[0]}. They stay without a result.`,
  );
}

const FLAGS = ['active', 'closed', 'acceptingOrders', 'enableOrderBook'];

/** G10: absent lists, null flags, and fees that are waived for a time. */
function nullFact({ a, b }: Read): Fact {
  const events = a.page?.events ?? [];
  const marketsA = events.flatMap(marketsOf).filter(isObject);
  const marketsB = [...marketsIn(b.open), ...marketsIn(b.closed)];
  if (events.length + marketsB.length === 0) return fact('G10', 'not checked', 'No listing was read.');
  const absent = events.filter((event) => isObject(event) && !Array.isArray(event.markets)).length;
  const waived = marketsA.filter(
    ({ fee_waiver_expiration_time }) => (fee_waiver_expiration_time ?? null) !== null,
  ).length;
  const unstated = marketsB.filter((market: Raw) => FLAGS.some((flag) => (market[flag] ?? null) === null)).length;
  const counts = `${absent} events of venue_a without markets, ${unstated} markets of venue_b with a flag that is null, ${waived} markets of venue_a with a fee waiver.`;
  return absent + unstated + waived > 0
    ? fact('G10', 'warning', counts, unstated > 0 && 'A market with such a flag does not count as trading.')
    : fact('G10', 'ok', counts);
}

/** G11: older settled markets are only in the historical endpoints. */
function historyFact({ cutoff }: ReadA): Fact {
  return cutoff === null
    ? fact(
        'G11',
        'failed',
        'The historical cutoff of venue_a cannot be read, so the backtest does not know where its history begins.',
      )
    : fact(
        'G11',
        'ok',
        `Markets of venue_a that were settled before ${cutoff} are read from the historical endpoints.`,
      );
}
