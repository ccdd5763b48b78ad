import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type RunningStack, startStack } from '../support/stack.ts';
import { waitUntil } from '../support/wait_until.ts';
import { everyMarket, Simulator, untilCalm } from './simulator.ts';

// Each process of a running stack dies without warning. It comes back, the stack says so, what was committed is there, and prices are
// what the books say.

const victims: [name: string, pattern: RegExp][] = [
  ['functions/ingest', /deno run .*f-ingest/],
  ['functions/api', /deno run .*f-api/],
  ['functions/stream', /deno run .*f-stream/],
  ['postgres', /native\/bin\/postgres -D/],
  ['venues', /local\/venues\/main\.ts/],
  ['jobs', /local\/platform\/jobs\/main\.ts/],
  ['auth', /local\/platform\/auth\/main\.ts/],
  ['realtime', /local\/platform\/realtime\/main\.ts/],
];

describe('kill -9 while it runs', () => {
  let stack: RunningStack;
  let key: string;

  beforeAll(async () => {
    stack = await startStack({ env: { REST_DELAY_SECONDS: '10' } });
    key = stack.key('pro');
    await untilCalm(stack);
  }, 150_000);
  afterAll(() => stack?.stop());

  const committed = () => stack.sql<{ update_no: string }[]>`select update_no from price.updates order by update_no`;
  const pairIds = () => stack.sql<{ pair_id: string }[]>`select pair_id from catalog.pairs order by pair_id`;

  async function working(): Promise<boolean> {
    try {
      const health = (await (await fetch(`${stack.baseUrl}/health`, { signal: AbortSignal.timeout(3000) })).json()) as {
        status: string;
      };
      if (health.status !== 'ok') return false;
      const { markets } = await everyMarket(stack, key);
      // Voided while nobody read them, priced again by the new reader.
      return markets.filter((market) => market.outcomes.length > 0).length > markets.length * 0.9;
    } catch {
      return false;
    }
  }

  it.each(victims)(
    '%s comes back, and no row is lost',
    async (name, pattern) => {
      await waitUntil(working, { what: 'a working stack', timeoutMs: 60_000 });
      const [frames, pairs] = [await committed(), await pairIds()];
      const said = stack.lines.length;
      const dead = stack.kill(pattern);
      const killedAt = new Date();
      await waitUntil(async () => stack.lines.length > said, {
        what: `a line that says so (${name})`,
        timeoutMs: 60_000,
      });
      await waitUntil(async () => ![undefined, dead].includes(stack.find(pattern)), {
        what: `a successor of ${name}`,
        timeoutMs: 60_000,
      });
      await waitUntil(
        async () => {
          const rows =
            await stack.sql`select from price.updates where priced_at > ${killedAt} and void_reason is null limit 50`;
          return rows.length === 50;
        },
        { what: 'fresh frames', timeoutMs: 60_000 },
      );
      await waitUntil(working, { what: `a working stack after the end of ${name}`, timeoutMs: 90_000 });
      const after = new Set((await committed()).map((row) => row.update_no));
      expect(frames.filter((row) => !after.has(row.update_no))).toEqual([]);
      const known = new Set((await pairIds()).map((row) => row.pair_id));
      expect(pairs.filter((row) => !known.has(row.pair_id))).toEqual([]);
    },
    150_000,
  );

  it('ends with prices that are exactly what the books say', async () => {
    const simulator = new Simulator(stack);
    // The simulator remembers its books from its own restart on; the snapshot must have come as far.
    const from = Date.now() + 2_000;
    await waitUntil(
      async () => {
        const [row] = await stack.sql<{ step: Date }[]>`select pipeline.refresh_snapshot() as step`;
        return (row?.step.getTime() ?? 0) > from;
      },
      { what: 'a step after the last death', timeoutMs: 60_000 },
    );
    const { markets, page } = await everyMarket(stack, key, '&market_type=moneyline');
    const wrong: string[] = [];
    for (const market of markets.filter((one) => one.outcomes.length > 0).slice(0, 40)) {
      wrong.push(...(await simulator.wrongAsks(market, Date.parse(page.snapshot_at))).wrong);
    }
    expect(wrong).toEqual([]);
  });
});
