import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type RunningStack, startStack } from '../support/stack.ts';

// The main job, whole: both simulated venues in their own wire formats, read by the real functions, matched and priced by the real
// database, answered over HTTP, and held against what the simulator alone knows.

type TruthLeg = { name: string; ticker: string; side: 'yes' | 'no'; token_id: string };
type TruthPair = {
  family: string;
  venue_a: { event_ticker: string };
  venue_b: { event_slug: string };
  outcomes: TruthLeg[];
};
type Truth = { pairs: TruthPair[]; lookalikes: { venue_a: string; venue_b: string; why: string }[] };
type BookSide = { ask: number | null; bid: number | null; depth: number | null };
type Market = {
  id: string;
  market_type: string;
  status: string;
  priced_at: string;
  coverage: { venue_a: boolean; venue_b: boolean };
  outcomes: {
    key: string;
    name: string;
    venue_a: number | null;
    venue_b: number | null;
    venue_a_book: (BookSide & { ticker: string }) | null;
    venue_b_book: (BookSide & { token_id: string }) | null;
  }[];
  venues: { venue_a: { event_ticker: string }; venue_b: { condition_id: string | null; slug: string } };
};
type Page = { markets: Market[]; next_cursor: string | null; snapshot_at: string; delay_seconds: number };
type Top = { ask: number | null; bid: number | null };

// A short delay, so that the test need not wait until the quickly played minutes have left the snapshot.
const delaySeconds = 10;

describe('the main job', () => {
  let stack: RunningStack;
  let key: string;
  let simulator: string;

  beforeAll(async () => {
    stack = await startStack({ env: { REST_DELAY_SECONDS: String(delaySeconds) } });
    key = stack.key('pro');
    const line = stack.lines.find((text) => /^venues +venue_a /.test(text));
    simulator = new URL(/venue_a (\S+)/.exec(line ?? '')?.[1] ?? '').origin;
  }, 90_000);
  afterAll(() => stack?.stop());

  const simulated = async <T>(path: string): Promise<T> => {
    const response = await fetch(`${simulator}/_sim/${path}`);
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
    return (await response.json()) as T;
  };

  async function everyMarket(query = ''): Promise<{ markets: Market[]; page: Page }> {
    const markets: Market[] = [];
    for (let cursor: string | null = null; ; ) {
      const next: string = cursor ? `&cursor=${encodeURIComponent(cursor)}` : '';
      const page: Page = await stack.get(`/v2/markets?limit=200&include=ids,depth,settlement${query}${next}`, key);
      markets.push(...page.markets);
      cursor = page.next_cursor;
      if (!cursor) return { markets, page };
    }
  }

  it('is ready within 15 seconds on a fresh folder and says that the venues are simulated', async () => {
    expect(stack.bootMs).toBeLessThan(15_000);
    expect(stack.lines.join('\n')).toMatch(/SIMULATED/);
    const health = (await (await fetch(`${stack.baseUrl}/health`)).json()) as {
      status: string;
      venues: Record<string, { state: string; source: string }>;
    };
    expect(health.status).toBe('ok');
    expect(health.venues.venue_a).toMatchObject({ state: 'up', source: 'simulated' });
    expect(health.venues.venue_b).toMatchObject({ state: 'up', source: 'simulated' });
  });

  it('lists hundreds of pairs, each a true twin with both sides the right way round, and none that only looks alike', async () => {
    const { markets } = await everyMarket();
    const truth = await simulated<Truth>('truth');
    const twins = new Map(truth.pairs.map((pair) => [`${pair.venue_a.event_ticker}|${pair.venue_b.event_slug}`, pair]));
    expect(markets.length).toBeGreaterThan(200);
    for (const market of markets) {
      const twin = twins.get(`${market.venues.venue_a.event_ticker}|${market.venues.venue_b.slug}`);
      expect(twin, `${market.venues.venue_a.event_ticker} is no twin of ${market.venues.venue_b.slug}`).toBeDefined();
      const legs = new Map(twin?.outcomes.map((leg) => [leg.ticker, leg]));
      for (const outcome of market.outcomes) {
        const leg = legs.get(outcome.venue_a_book?.ticker ?? '');
        expect(leg, `${market.id} ${outcome.key}`).toBeDefined();
        expect(outcome.venue_b_book?.token_id, `${market.id} ${outcome.key} is turned round`).toBe(leg?.token_id);
      }
    }
    const listed = new Set(markets.map((m) => `${m.venues.venue_a.event_ticker}|${m.venues.venue_b.slug}`));
    const expected = truth.pairs.filter((pair) => ['moneyline', 'outright'].includes(pair.family));
    const shown = expected.filter((pair) => listed.has(`${pair.venue_a.event_ticker}|${pair.venue_b.event_slug}`));
    const { markets: over } = await everyMarket('&status=resolving,closed,settled');
    expect(shown.length + over.length).toBeGreaterThanOrEqual(expected.length * 0.97);
  });

  it('prices exactly what both books said at the step', async () => {
    // Past the quickly played minutes, in which a message's way through the machine is worth seconds of market time.
    await until(async () => {
      const [row] = await stack.sql`
        select s.step > max(c.from_shown) + interval '5 seconds' as calm from price.steps s, clock.segments c group by s.step`;
      return row?.calm === true;
    }, 60_000);
    const { markets, page } = await everyMarket('&market_type=moneyline');
    const at = Date.parse(page.snapshot_at);
    let compared = 0;
    const wrong: string[] = [];
    for (const market of markets.filter((one) => one.outcomes.length > 0).slice(0, 80)) {
      for (const outcome of market.outcomes) {
        const looked = [
          [outcome.venue_a, `book?ticker=${outcome.venue_a_book?.ticker}`],
          [outcome.venue_b, `book?token_id=${outcome.venue_b_book?.token_id}`],
        ] as const;
        for (const [ask, path] of looked) {
          const now = await simulated<Top>(`${path}&at=${at}`);
          // What was on the wire when the step fell may be read just after it.
          const before = await simulated<Top>(`${path}&at=${at - 400}`);
          compared += 1;
          if (ask !== now.ask && ask !== before.ask) wrong.push(`${market.id} ${path}: ${ask}, not ${now.ask}`);
        }
      }
      expect(Date.parse(market.priced_at)).toBeLessThanOrEqual(at);
    }
    expect(wrong).toEqual([]);
    expect(compared).toBeGreaterThan(200);
  }, 120_000);

  it('gives the same bytes within a step, and 304 to who has them', async () => {
    const url = `${stack.baseUrl}/v2/markets?limit=20`;
    const headers = { authorization: `Bearer ${key}` };
    for (let attempt = 0; ; attempt += 1) {
      const [one, two] = [await fetch(url, { headers }), await fetch(url, { headers })];
      const [first, second] = [await one.text(), await two.text()];
      if (one.headers.get('x-as-of') !== two.headers.get('x-as-of') && attempt < 3) continue;
      expect(second).toBe(first);
      const etag = two.headers.get('etag') ?? '';
      const again = await fetch(url, { headers: { ...headers, 'if-none-match': etag } });
      if (again.headers.get('x-as-of') !== two.headers.get('x-as-of') && attempt < 3) continue;
      expect(again.status).toBe(304);
      return;
    }
  });
});

async function until(look: () => Promise<boolean>, withinMs: number): Promise<void> {
  const end = Date.now() + withinMs;
  while (!(await look())) {
    if (Date.now() > end) throw new Error('It did not happen in time.');
    await new Promise((resolve) => setTimeout(resolve, 250));
  }
}
