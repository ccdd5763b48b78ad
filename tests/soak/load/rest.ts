import type { Charged, Opportunity } from '../../stack/recomputed.ts';
import { wrongIn } from '../../stack/recomputed.ts';
import { pause } from '../../support/wait_until.ts';
import { type Ledger, type Left, leftIn, wrongLeft } from '../check/counts.ts';
import type { Findings } from '../findings.ts';
import { oneOf } from '../random.ts';
import type { Answers } from './response_log.ts';

/** An organization's one caller over REST: one request after another, so that what its headers say can be held against what it asked. */
export class RestCaller {
  readonly ledger: Ledger;
  readonly #base: string;
  readonly #key: string;
  readonly #random: () => number;
  readonly #answers: Answers;
  readonly #findings: Findings;
  readonly #charged: Charged;
  readonly #restarts: () => number;
  #left: { left: Left; restarts: number } | undefined;
  #unanswered = 0;
  #etags = new Map<string, string>();
  #cursor: string | null = null;
  #pairs: string[] = [];

  constructor(at: {
    base: string;
    org: string;
    key: string;
    random: () => number;
    answers: Answers;
    findings: Findings;
    charged: Charged;
    /** How often Postgres has been killed: its last second of counts goes with it. */
    restarts: () => number;
  }) {
    this.ledger = { org: at.org, counted: [], unknown: 0 };
    this.#base = at.base;
    this.#key = at.key;
    this.#random = at.random;
    this.#answers = at.answers;
    this.#findings = at.findings;
    this.#charged = at.charged;
    this.#restarts = at.restarts;
  }

  async run(ends: AbortSignal): Promise<void> {
    while (!ends.aborted) {
      await this.#one();
      await pause(100 + 250 * this.#random());
    }
  }

  async #one(): Promise<void> {
    const { path, expected, method = 'GET', key = this.#key, body } = this.#next();
    const held = method === 'GET' && this.#random() < 0.3 ? this.#etags.get(path) : undefined;
    const began = Date.now();
    const restarts = this.#restarts();
    let answer: Response;
    let text: string;
    try {
      answer = await fetch(this.#base + path, {
        method,
        headers: {
          authorization: `Bearer ${key}`,
          ...(held ? { 'if-none-match': held } : {}),
          ...(body ? { 'content-type': 'application/json' } : {}),
        },
        ...(body ? { body } : {}),
        signal: AbortSignal.timeout(30_000),
      });
      text = await answer.text();
    } catch {
      this.#answers.note(path, began, 0);
      this.#missed(key);
      return;
    }
    const { status, headers } = answer;
    const told = status === 200 || text === '' ? {} : read(text);
    this.#answers.note(`${method} ${path}`, began, status, String(told.code ?? ''));
    if (status >= 500) {
      this.#missed(key);
      return;
    }
    const fine = [...expected, ...(held ? [304] : []), ...(key === this.#key ? [429] : [])];
    this.#findings.add(
      'answers are those that were to come',
      1,
      fine.includes(status) ? [] : [`${method} ${path}: ${status}, not ${fine.join(' or ')}: ${text.slice(0, 200)}`],
    );
    if (key !== this.#key) return;
    const data = status === 200 && !path.startsWith('/v1/');
    if (data) this.ledger.counted.push(Date.now());
    this.#compare(headers.get('ratelimit'), data ? 1 : 0, restarts, `${method} ${path} ${status}`);
    const etag = headers.get('etag');
    if (status === 200 && etag) this.#etags.set(path, etag);
    if (status === 200) this.#learn(path, text);
  }

  #missed(key: string): void {
    if (key !== this.#key) return;
    this.ledger.unknown += 1;
    this.#unanswered += 1;
  }

  #compare(header: string | null, used: number, restarts: number, what: string): void {
    const left = leftIn(header);
    const before = this.#left;
    const between = this.#unanswered;
    this.#unanswered = 0;
    this.#left = left ? { left, restarts: this.#restarts() } : undefined;
    if (!left) {
      this.#findings.violate('rate-limit headers count down', `${what}: no RateLimit but "${header}"`);
      return;
    }
    // Counts may have been lost between the two.
    if (!before || before.restarts !== this.#restarts() || restarts !== before.restarts) return;
    const wrong = wrongLeft(before.left, left, used, between);
    this.#findings.add('rate-limit headers count down', 1, wrong ? [`${this.ledger.org}, ${what}: ${wrong}`] : []);
  }

  #learn(path: string, text: string): void {
    if (path.startsWith('/v2/markets')) {
      const page = JSON.parse(text) as { markets: { id: string }[]; next_cursor: string | null };
      this.#cursor = page.next_cursor;
      this.#pairs = page.markets.map(({ id }) => id).slice(0, 20);
    } else if (path.startsWith('/v2/arbitrage')) {
      const { opportunities } = JSON.parse(text) as { opportunities: Opportunity[] };
      const wrong = opportunities.flatMap((one) => wrongIn(one, this.#charged));
      this.#findings.add('opportunities add up', opportunities.length, wrong);
    }
  }

  #next(): { path: string; expected: number[]; method?: string; key?: string; body?: string } {
    const pair = this.#pairs.length > 0 ? oneOf(this.#pairs, this.#random) : undefined;
    const cursor = this.#cursor;
    const good = (path: string) => ({ path, expected: [200] });
    return oneOf(
      [
        () => good('/v2/markets?limit=50'),
        () => good('/v2/markets?limit=20&sort=-spread_pts'),
        () =>
          cursor
            ? { path: `/v2/markets?limit=20&cursor=${encodeURIComponent(cursor)}`, expected: [200, 422] }
            : good('/v2/leagues'),
        () => good('/v2/markets?market_type=all&limit=100&include=depth'),
        () => good('/v2/arbitrage?limit=500'),
        () => good('/v2/arbitrage?limit=500'),
        () => (pair ? { path: `/v2/pairs/${pair}`, expected: [200, 404] } : good('/v2/coverage')),
        () => (pair ? { path: `/v2/pairs/${pair}/history`, expected: [200, 404] } : good('/v2/categories')),
        () => good('/v2/search?q=a&page_size=10'),
        () => good('/v2/spreads?limit=50'),
        () => good('/v2/categories'),
        () => good('/v1/account'),
        () => ({ path: '/v1/stream/token', method: 'POST', expected: [200] }),
        () => ({ path: '/v2/markets?limit=0', expected: [422] }),
        () => ({ path: '/v2/markets?status=asleep', expected: [422] }),
        () => ({ path: '/v2/search?q=', expected: [400] }),
        () => ({ path: '/v2/pairs/mkt_00000000-0000-4000-8000-000000000000', expected: [404] }),
        () => ({ path: '/v2/report-bad-arb', method: 'POST', body: '{}', expected: [400] }),
        () => ({ path: '/v2/markets', key: 'sk_live_nobody', expected: [401] }),
      ],
      this.#random,
    )();
  }
}

function read(text: string): { code?: unknown } {
  try {
    return JSON.parse(text) as { code?: unknown };
  } catch {
    return {};
  }
}
