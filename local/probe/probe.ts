import { type Signer, signerOf } from '../../functions/ingest/venue_a/sign.ts';
import { activeTickers, readVenueA } from './endpoints_a.ts';
import { readVenueB, tradedTokens } from './endpoints_b.ts';
import { type Fact, factsOf } from './facts.ts';
import type { Row, Table } from './row.ts';
import { probeSocketA, probeSocketB } from './sockets.ts';
import type { ProbeTarget } from './target.ts';
import { Wire } from './wire.ts';

export type ProbeResult = { rows: Row[]; facts: Fact[] };

/** Markets per socket: enough for a change within seconds, and one command of the adapter. */
const TICKERS = 50;
const TOKENS = 100;

export type ProbeOptions = {
  target: ProbeTarget;
  /** How long it listens to the sockets. */
  seconds: number;
  signal: AbortSignal;
  /** Called with each row as soon as its endpoint was read. */
  onRow(row: Row): void;
};

/** Reads one page of everything that the adapters use, then listens to both sockets. */
export async function probe({ target, seconds, signal, onRow }: ProbeOptions): Promise<ProbeResult> {
  const now = await target.now();
  const { sign, keyError } = await signerFor(target);
  // Each venue has its own client, so both are read at once.
  const [wireA, wireB] = [new Wire(signal), new Wire(signal)];
  const rows: Row[] = [];
  const table: Table = {
    push(row) {
      rows.push(row);
      onRow(row);
    },
  };
  const [a, b] = await Promise.all([
    readVenueA(table, wireA, target.venueA.rest, sign, now),
    readVenueB(table, wireB, target.venueB, now),
  ]);
  const [socketA, socketB] = await Promise.all([
    sign
      ? probeSocketA(wireA, { url: target.venueA.socket, sign }, activeTickers(a.page).slice(0, TICKERS), seconds)
      : null,
    probeSocketB(wireB, target.venueB.socket, tradedTokens(b.open).slice(0, TOKENS), seconds),
  ]);
  table.push(socketA?.row ?? untriedSocket(keyError));
  table.push(socketB.row);
  return { rows, facts: factsOf({ a, b, socketA, socketB, keyError, seconds }) };
}

/** Whether the probe found something that the product cannot work with. */
export const hasFailed = ({ rows, facts }: ProbeResult): boolean =>
  rows.some((row) => row.failure !== null) || facts.some((fact) => fact.state === 'failed');

async function signerFor({ venueA }: ProbeTarget): Promise<{ sign: Signer | null; keyError: string | null }> {
  const { keyId, privateKey } = venueA;
  if (!keyId && !privateKey) return { sign: null, keyError: null };
  if (!keyId || !privateKey) {
    const missing = keyId ? 'VENUE_A_PRIVATE_KEY' : 'VENUE_A_KEY_ID';
    return { sign: null, keyError: `${missing} is missing.` };
  }
  try {
    return { sign: await signerOf(keyId, privateKey, Date.now), keyError: null };
  } catch (error) {
    return { sign: null, keyError: error instanceof Error ? error.message : String(error) };
  }
}

function untriedSocket(keyError: string | null): Row {
  return {
    venue: 'venue_a',
    endpoint: 'WebSocket orderbook_delta',
    status: 'not tried',
    rows: keyError === null ? 'no key; books are polled' : 'the key cannot be used',
    unknown: [],
    missing: [],
    rejected: [],
    failure: null,
  };
}
