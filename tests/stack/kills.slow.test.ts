import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type RunningStack, startStack } from '../support/stack.ts';
import { waitUntil } from '../support/wait_until.ts';
import { fetchAllMarkets, Simulator, untilFastForwardEnds } from './simulator.ts';

// Kills each process of a running stack. The supervisor must print it and start the process again,
// no committed row may be lost, and the prices must equal the books.

const PROCESSES: [name: string, pattern: RegExp][] = [
  ['functions/ingest', /deno run .*f-ingest/],
  ['functions/api', /deno run .*f-api/],
  ['functions/stream', /deno run .*f-stream/],
  ['postgres', /native\/bin\/postgres -D/],
  ['venues', /local\/venue_simulator\/main\.ts/],
  ['jobs', /local\/platform\/jobs\/main\.ts/],
  ['auth', /local\/platform\/auth\/main\.ts/],
  ['realtime', /local\/platform\/realtime\/main\.ts/],
];

describe('a stack whose processes are killed', () => {
  let stack: RunningStack;
  let key: string;

  beforeAll(async () => {
    stack = await startStack({ env: { REST_DELAY_SECONDS: '10' } });
    key = await stack.key('pro');
    await untilFastForwardEnds(stack);
  });
  afterAll(() => stack?.stop());

  const readUpdates = () => stack.sql<{ update_no: string }[]>`select update_no from price.updates order by update_no`;
  const readPairs = () => stack.sql<{ pair_id: string }[]>`select pair_id from catalog.pairs order by pair_id`;

  async function isWorking(): Promise<boolean> {
    try {
      const health = (await (await fetch(`${stack.baseUrl}/health`, { signal: AbortSignal.timeout(3000) })).json()) as {
        status: string;
      };
      if (health.status !== 'ok') return false;
      const { markets } = await fetchAllMarkets(stack, key);
      // Prices are void until a new worker reads the books.
      return markets.filter((market) => market.outcomes.length > 0).length > markets.length * 0.9;
    } catch {
      return false;
    }
  }

  const readStatus = async () => {
    const answer = await fetch(`${stack.baseUrl}/health`, { signal: AbortSignal.timeout(3000) });
    return ((await answer.json()) as { status: string }).status;
  };

  it('reports degraded in /health within 11 s after ingest was killed, until prices are read again', async () => {
    await waitUntil(isWorking, { what: 'a working stack', timeoutMs: 60_000 });
    stack.kill(/deno run .*f-ingest/);
    // The lease of 10 s, and a second for the cache of /health.
    await waitUntil(async () => (await readStatus()) !== 'ok', { what: '/health is not ok', timeoutMs: 11_000 });
    await waitUntil(async () => (await readStatus()) === 'ok', { what: '/health is ok again', timeoutMs: 60_000 });
    // Each shard has a holder again.
    const unread = await stack.sql`select from price.unread_pairs limit 1`;
    expect(unread).toHaveLength(0);
  });

  it.each(PROCESSES)(
    'restarts %s after kill -9 and loses no row',
    async (name, pattern) => {
      await waitUntil(isWorking, { what: 'a working stack', timeoutMs: 60_000 });
      const [updates, pairs] = [await readUpdates(), await readPairs()];
      const printedLines = stack.lines.length;
      const dead = stack.kill(pattern);
      const killedAt = new Date();
      await waitUntil(async () => stack.lines.length > printedLines, {
        what: `the supervisor prints that ${name} died`,
        timeoutMs: 60_000,
      });
      await waitUntil(async () => ![undefined, dead].includes(stack.findPid(pattern)), {
        what: `${name} runs again`,
        timeoutMs: 60_000,
      });
      await waitUntil(
        async () => {
          const rows =
            await stack.sql`select from price.updates where priced_at > ${killedAt} and void_reason is null limit 50`;
          return rows.length === 50;
        },
        { what: 'new price updates', timeoutMs: 60_000 },
      );
      await waitUntil(isWorking, { what: `a working stack after the kill of ${name}`, timeoutMs: 90_000 });
      const after = new Set((await readUpdates()).map((row) => row.update_no));
      expect(updates.filter((row) => !after.has(row.update_no))).toEqual([]);
      const known = new Set((await readPairs()).map((row) => row.pair_id));
      expect(pairs.filter((row) => !known.has(row.pair_id))).toEqual([]);
    },
    150_000,
  );

  it('has prices that equal the books after all kills', async () => {
    const simulator = new Simulator(stack);
    // The simulator has its books since its restart. Wait until the snapshot is newer.
    const from = Date.now() + 2_000;
    await waitUntil(
      async () => {
        const [row] = await stack.sql<{ step: Date }[]>`select pipeline.refresh_snapshot() as step`;
        return (row?.step.getTime() ?? 0) > from;
      },
      { what: 'a snapshot after the last kill', timeoutMs: 60_000 },
    );
    const { markets, page } = await fetchAllMarkets(stack, key, '&market_type=moneyline');
    const errors: string[] = [];
    for (const market of markets.filter((one) => one.outcomes.length > 0).slice(0, 40)) {
      errors.push(...(await simulator.askErrors(market, Date.parse(page.snapshot_at))).errors);
    }
    expect(errors).toEqual([]);
  });
});
