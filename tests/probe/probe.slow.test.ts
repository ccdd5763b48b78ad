import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { repository } from '../../local/platform/postgres/binaries.ts';
import { DataFolder } from '../../local/platform/supervisor/data_folder.ts';
import { tsxArguments, venuesProgram } from '../../local/platform/supervisor/venues.ts';
import { hasFailed, type ProbeResult, probe } from '../../local/probe/probe.ts';
import { reportOf } from '../../local/probe/report.ts';
import type { ProbeTarget } from '../../local/probe/target.ts';
import type { FaultName, FaultRequest } from '../../local/venue_simulator/faults/faults.ts';
import type { ListeningInfo } from '../../local/venue_simulator/serve.ts';
import { temporaryFolder } from '../support/temporary_folder.ts';

/**
 * Guarantee: the probe accepts venues that serve what the adapters expect, and names what differs.
 */

type Addresses = ListeningInfo;

function targetOf({ venue_a, venue_b }: Addresses): ProbeTarget {
  return {
    name: 'a simulator',
    venueA: {
      rest: venue_a.rest,
      socket: venue_a.ws,
      keyId: venue_a.key_id,
      privateKey: readFileSync(venue_a.private_key_file, 'utf8'),
    },
    venueB: { gamma: venue_b.gamma, clob: venue_b.clob, data: venue_b.data, socket: venue_b.ws },
    now: async () => Date.now(),
  };
}

const run = (target: ProbeTarget, seconds = 1): Promise<ProbeResult> =>
  probe({ target, seconds, signal: new AbortController().signal, onRow: () => {} });

const factOf = ({ facts }: ProbeResult, id: string) => facts.find((fact) => fact.id === id);
const rowOf = ({ rows }: ProbeResult, endpoint: string) => rows.find((row) => row.endpoint === endpoint);
const failedOf = ({ rows }: ProbeResult) => rows.filter((row) => row.failure !== null).map((row) => row.endpoint);

// A probe takes about four seconds on an idle machine, and the command starts a process each time.
vi.setConfig({ testTimeout: 120_000 });

let folder: DataFolder;
let child: ChildProcess;
let listening: Addresses;

beforeAll(async () => {
  folder = DataFolder.open(temporaryFolder('probe'));
  // The limit of a Basic key. A batch of 100 books that is billed one by one costs more.
  const args = ['--data', folder.path, '--traps', 'none', '--seed', '3', '--tokens', '200'];
  child = spawn(process.execPath, [...tsxArguments, venuesProgram, ...args], { stdio: ['pipe', 'pipe', 'inherit'] });
  listening = await new Promise<Addresses>((resolve) => {
    let out = '';
    child.stdout?.on('data', (chunk) => {
      out += String(chunk);
      if (out.includes('\n')) resolve(JSON.parse(out.split('\n')[0] ?? '') as Addresses);
    });
  });
});
afterAll(() => {
  child.kill('SIGKILL');
  folder.release();
  rmSync(folder.path, { recursive: true, force: true });
});

describe('npm run probe', () => {
  beforeAll(() => {
    const { venue_a, venue_b } = listening;
    folder.publish({
      pid: process.pid,
      port: 1,
      base_url: 'http://127.0.0.1:1/functions/v1/api',
      database_url: 'postgres://postgres@127.0.0.1:1/none',
      source: 'simulated',
      venues: { venue_a, venue_b },
      started_at: new Date().toISOString(),
    });
  });

  const start = (args: readonly string[], env: NodeJS.ProcessEnv = {}) => {
    const command = spawn(process.execPath, [...tsxArguments, join(repository, 'local/cli.ts'), 'probe', ...args], {
      cwd: repository,
      env: { ...process.env, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let out = '';
    for (const stream of [command.stdout, command.stderr])
      stream.on('data', (chunk) => {
        out += String(chunk);
      });
    const done = new Promise<{ status: number | null; out: string }>((resolve) => {
      command.once('close', (status) => resolve({ status, out }));
    });
    return { command, done };
  };

  test('finds the venues of the running stack, prints every endpoint and exits 0', async () => {
    const { status, out } = await start(['--data', folder.path, '--seconds', '3']).done;
    expect(out).toMatch(/^venue_a {2}WebSocket orderbook_delta +open +\d+ markets, [1-9]\d* snapshots/m);
    expect(out).toMatch(/^venue_b {2}WebSocket market +open +\d+ tokens, [1-9]\d* books, .*[1-9]\d* PONG/m);
    expect(out.match(/^venue_[ab] /gm)).toHaveLength(18);
    expect(out).not.toMatch(/Failures|Unknown fields|Missing fields|Rejected rows/);
    expect(out).toMatch(/Both venues serve what the adapters rely on: 0 failed/);
    expect(status).toBe(0);
  });

  test('probes the addresses of the environment without a key, and states that the socket was not tried', async () => {
    const { venue_a, venue_b } = listening;
    const { status, out } = await start(['--seconds', '1'], {
      VENUE_A_REST_URL: venue_a.rest,
      VENUE_A_WS_URL: venue_a.ws,
      VENUE_B_GAMMA_URL: venue_b.gamma,
      VENUE_B_CLOB_URL: venue_b.clob,
      VENUE_B_DATA_URL: venue_b.data,
      VENUE_B_WS_URL: venue_b.ws,
      VENUE_A_KEY_ID: '',
    }).done;
    expect(out).toMatch(/not tried +no key; books are polled/);
    expect(out).toMatch(/not checked +G3 +No key of venue_a is set/);
    expect(status).toBe(0);
  });

  test('prints the rows that it has and exits 130 after SIGINT', async () => {
    const { command, done } = start(['--data', folder.path, '--seconds', '60']);
    command.stdout.once('data', () => setTimeout(() => command.kill('SIGINT'), 3_000));
    const { status, out } = await done;
    expect(out).toContain('Stopped. The probe is not complete.');
    expect(out).toMatch(/^venue_a {2}GET \/series/m);
    expect(status).toBe(130);
  });

  test('exits 1 and names the failure when a venue does not answer', async () => {
    const { status, out } = await start(['--seconds', '1', '--live'], {
      VENUE_A_REST_URL: listening.venue_a.rest,
      VENUE_A_WS_URL: listening.venue_a.ws,
      VENUE_B_GAMMA_URL: 'http://127.0.0.1:1/gamma',
      VENUE_B_CLOB_URL: listening.venue_b.clob,
      VENUE_B_DATA_URL: listening.venue_b.data,
      VENUE_B_WS_URL: 'ws://127.0.0.1:1/ws/market',
      VENUE_A_KEY_ID: '',
    }).done;
    expect(out).toMatch(/venue_b GET \/events\/keyset \(open\): rest\.[a-z]+: GET \/gamma\/events\/keyset failed/);
    expect(out).toMatch(/failed +G4 +The socket of venue_b did not open/);
    expect(status).toBe(1);
  });
});

describe('the probe against a simulator that breaks a document', () => {
  /** A listing of the first page of each venue. */
  let page: { ticker: string; slug: string };

  beforeAll(async () => {
    const { venue_a, venue_b } = listening;
    const read = async (url: string) => (await (await fetch(url)).json()) as { events: { markets: Raw[] }[] };
    type Raw = { ticker: string; status: string; slug: string; active: boolean; version: string };
    const a = await read(`${venue_a.rest}/events?status=open&with_nested_markets=true&limit=100`);
    const b = await read(`${venue_b.gamma}/events/keyset?closed=false&limit=100`);
    const markets = { a: a.events.flatMap((one) => one.markets), b: b.events.flatMap((one) => one.markets) };
    page = {
      ticker: markets.a.find((market) => market.status === 'active')?.ticker ?? '',
      slug: markets.b.find((market) => market.active)?.slug ?? '',
    };
  });

  // A fault of all sockets acts on later ones too. It answers 409 while none is open.
  const inject = async (request: FaultRequest, forMs: number): Promise<void> => {
    const url = new URL('/_sim/fault', listening.venue_a.rest);
    await fetch(url, { method: 'POST', body: JSON.stringify({ ...request, for_ms: forMs }) });
  };

  type Broken = {
    row: string;
    fault: FaultName;
    how?: string;
    target?: 'ticker' | 'slug';
    fact: RegExp;
    state: string;
    /** Endpoints whose line fails. */
    rows?: string[];
    /** The only unknown name in the open listings of venue_b. */
    unknown?: string;
  };
  const broken: Broken[] = [
    {
      row: 'G2',
      fault: 'no_status',
      how: '2',
      fact: /lists markets on exchange index 2, and its status has no row/,
      state: 'failed',
    },
    {
      row: 'G2',
      fault: 'pause',
      how: '3',
      fact: /Exchange index 3 of venue_a does not trade now/,
      state: 'warning',
    },
    {
      row: 'G3',
      fault: 'expired_key',
      fact: /refuses the handshake of its socket \(401\): the key is wrong or expired/,
      state: 'failed',
      rows: ['GET /account/endpoint_costs', 'WebSocket orderbook_delta'],
    },
    {
      row: 'G4',
      fault: 'all_silent',
      fact: /The socket of venue_b answers pings and sent no book/,
      state: 'failed',
      rows: ['WebSocket market'],
    },
    {
      row: 'G5',
      fault: 'batch_refused',
      fact: /refuses the batch of order books with 401, and answers a single one/,
      state: 'warning',
    },
    {
      row: 'G5',
      fault: 'item_billing',
      how: 'unlisted',
      fact: /answers 429 to a batch of 100 order books/,
      state: 'warning',
    },
    {
      row: 'G6',
      fault: 'market_limit',
      how: '10',
      fact: /error 26: a subscription takes fewer markets/,
      state: 'warning',
    },
    {
      row: 'G6',
      fault: 'command_rate',
      how: '0.5',
      fact: /error 27: commands come too fast/,
      state: 'warning',
      rows: ['WebSocket orderbook_delta'],
    },
    {
      row: 'G9',
      fault: 'no_resolution',
      fact: /closed v2 markets of venue_b have no resolution/,
      state: 'failed',
    },
    {
      row: 'G9',
      fault: 'no_resolution',
      how: '503',
      fact: /The resolutions of venue_b cannot be read/,
      state: 'failed',
      rows: ['GET /v2/resolutions'],
    },
    {
      row: 'G10',
      fault: 'no_markets',
      target: 'ticker',
      fact: /^1 events of venue_a without markets/,
      state: 'warning',
    },
    {
      row: 'G10',
      fault: 'fee_waiver',
      target: 'ticker',
      fact: /1 markets of venue_a with a fee waiver/,
      state: 'warning',
    },
    // The last ones change a listing for good.
    {
      row: 'G7',
      fault: 'new_delay',
      target: 'slug',
      fact: /Another field may be a delay: matchDelayMs = 150/,
      state: 'warning',
      unknown: 'market.field:matchDelayMs',
    },
    {
      row: 'G10',
      fault: 'null_flags',
      target: 'slug',
      fact: /1 markets of venue_b with a flag that is null/,
      state: 'warning',
    },
    {
      row: 'G1',
      fault: 'unknown_version',
      target: 'slug',
      fact: /have no usable outcome ids .*only v1 and v2 are known/,
      state: 'failed',
      unknown: 'market.version=v3',
    },
  ];

  test('finds nothing to report before a fault', async () => {
    const result = await run(targetOf(listening));
    expect(result.facts.filter((fact) => fact.state !== 'ok')).toEqual([]);
    expect(result.rows.filter((row) => row.failure ?? row.unknown.length + row.missing.length > 0)).toEqual([]);
    expect(hasFailed(result)).toBe(false);
  });

  test.each(broken)(
    'reports $row as $state after the fault $fault',
    async ({ row, fact, state, rows = [], unknown, ...broken }) => {
      const { fault, how, target } = broken;
      const request = { fault, ...(how ? { how } : {}), ...(target ? { [target]: page[target] } : {}) };
      await inject(request, 600_000);
      const result = await run(targetOf(listening));
      await inject(request, 1);
      expect(factOf(result, row)).toMatchObject({ state, sentence: expect.stringMatching(fact) });
      expect(failedOf(result)).toEqual(rows);
      expect(hasFailed(result)).toBe(state === 'failed' || rows.length > 0);
      expect(reportOf(result)).toMatch(new RegExp(`^ {2}${state} +${row} `, 'm'));
      if (unknown) expect(rowOf(result, 'GET /events/keyset (open)')?.unknown).toEqual([unknown]);
    },
  );

  test('names the missing and the unknown field of a listing that a venue renamed', async () => {
    await inject({ fault: 'schema', how: 'renamed', ticker: page.ticker }, 0);
    const result = await run(targetOf(listening));
    expect(rowOf(result, 'GET /events (open)')).toMatchObject({
      unknown: ['market.field:market_ticker'],
      missing: ['market.ticker'],
      failure: 'A required field is missing.',
    });
    expect(hasFailed(result)).toBe(true);
    expect(reportOf(result)).toMatch(/^Missing fields\n {2}venue_a GET \/events \(open\): market\.ticker/m);
  });
});
