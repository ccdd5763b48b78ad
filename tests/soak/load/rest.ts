import type { Opportunity, VenueFees } from '../../stack/recompute_opportunity.ts';
import { recomputationErrors } from '../../stack/recompute_opportunity.ts';
import { pause } from '../../support/wait_until.ts';
import { type Ledger, type RemainingQuota, rateStateError, remainingQuotaIn } from '../check/counts.ts';
import type { Findings } from '../findings.ts';
import { pickOne } from '../random.ts';
import type { ResponseLog } from './response_log.ts';

/**
 * The only REST caller of an organization. It sends one request after another, so that the
 * rate-limit headers can be compared with its requests.
 */
export class RestCaller {
  readonly ledger: Ledger;
  readonly #base: string;
  readonly #key: string;
  readonly #random: () => number;
  readonly #responses: ResponseLog;
  readonly #findings: Findings;
  readonly #fees: VenueFees;
  readonly #restarts: () => number;
  #rateState: { remaining: RemainingQuota; restarts: number } | undefined;
  #unanswered = 0;
  #etags = new Map<string, string>();
  #cursor: string | null = null;
  #pairs: string[] = [];

  constructor(options: {
    base: string;
    org: string;
    key: string;
    random: () => number;
    responses: ResponseLog;
    findings: Findings;
    fees: VenueFees;
    /** How often Postgres was killed. Each kill may lose the counts of the last second. */
    restarts: () => number;
  }) {
    this.ledger = { org: options.org, counted: [], unknown: 0 };
    this.#base = options.base;
    this.#key = options.key;
    this.#random = options.random;
    this.#responses = options.responses;
    this.#findings = options.findings;
    this.#fees = options.fees;
    this.#restarts = options.restarts;
  }

  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await this.#sendOne();
      await pause(100 + 250 * this.#random());
    }
  }

  async #sendOne(): Promise<void> {
    const { path, expected, method = 'GET', key = this.#key, body } = this.#nextRequest();
    const knownEtag = method === 'GET' && this.#random() < 0.3 ? this.#etags.get(path) : undefined;
    const startedAt = Date.now();
    const restarts = this.#restarts();
    let response: Response;
    let text: string;
    try {
      response = await fetch(this.#base + path, {
        method,
        headers: {
          authorization: `Bearer ${key}`,
          ...(knownEtag ? { 'if-none-match': knownEtag } : {}),
          ...(body ? { 'content-type': 'application/json' } : {}),
        },
        ...(body ? { body } : {}),
        signal: AbortSignal.timeout(30_000),
      });
      text = await response.text();
    } catch {
      this.#responses.record(path, startedAt, 0);
      this.#recordUnanswered(key);
      return;
    }
    const { status, headers } = response;
    const error = status === 200 || text === '' ? {} : parseError(text);
    this.#responses.record(`${method} ${path}`, startedAt, status, String(error.code ?? ''));
    if (status >= 500) {
      this.#recordUnanswered(key);
      return;
    }
    const valid = [...expected, ...(knownEtag ? [304] : []), ...(key === this.#key ? [429] : [])];
    this.#findings.add(
      'answers have an expected status',
      1,
      valid.includes(status) ? [] : [`${method} ${path}: ${status}, not ${valid.join(' or ')}: ${text.slice(0, 200)}`],
    );
    if (key !== this.#key) return;
    const hasData = status === 200 && !path.startsWith('/v1/');
    if (hasData) this.ledger.counted.push(Date.now());
    this.#checkRateState(headers.get('ratelimit'), hasData ? 1 : 0, restarts, `${method} ${path} ${status}`);
    const etag = headers.get('etag');
    if (status === 200 && etag) this.#etags.set(path, etag);
    if (status === 200) this.#readPage(path, text);
  }

  #recordUnanswered(key: string): void {
    if (key !== this.#key) return;
    this.ledger.unknown += 1;
    this.#unanswered += 1;
  }

  #checkRateState(header: string | null, used: number, restarts: number, request: string): void {
    const remaining = remainingQuotaIn(header);
    const before = this.#rateState;
    const between = this.#unanswered;
    this.#unanswered = 0;
    this.#rateState = remaining ? { remaining, restarts: this.#restarts() } : undefined;
    if (!remaining) {
      this.#findings.violate('rate-limit headers count down', `${request}: invalid RateLimit "${header}"`);
      return;
    }
    // Postgres may have lost counts between the two answers.
    if (!before || before.restarts !== this.#restarts() || restarts !== before.restarts) return;
    const error = rateStateError(before.remaining, remaining, used, between);
    this.#findings.add('rate-limit headers count down', 1, error ? [`${this.ledger.org}, ${request}: ${error}`] : []);
  }

  #readPage(path: string, text: string): void {
    if (path.startsWith('/v2/markets')) {
      const page = JSON.parse(text) as { markets: { id: string }[]; next_cursor: string | null };
      this.#cursor = page.next_cursor;
      this.#pairs = page.markets.map(({ id }) => id).slice(0, 20);
    } else if (path.startsWith('/v2/arbitrage')) {
      const { opportunities } = JSON.parse(text) as { opportunities: Opportunity[] };
      const errors = opportunities.flatMap((one) => recomputationErrors(one, this.#fees));
      this.#findings.add('opportunities add up', opportunities.length, errors);
    }
  }

  #nextRequest(): { path: string; expected: number[]; method?: string; key?: string; body?: string } {
    const pair = this.#pairs.length > 0 ? pickOne(this.#pairs, this.#random) : undefined;
    const cursor = this.#cursor;
    const valid = (path: string) => ({ path, expected: [200] });
    return pickOne(
      [
        () => valid('/v2/markets?limit=50'),
        () => valid('/v2/markets?limit=20&sort=-spread_pts'),
        () =>
          cursor
            ? { path: `/v2/markets?limit=20&cursor=${encodeURIComponent(cursor)}`, expected: [200, 422] }
            : valid('/v2/leagues'),
        () => valid('/v2/markets?market_type=all&limit=100&include=depth'),
        () => valid('/v2/arbitrage?limit=500'),
        () => valid('/v2/arbitrage?limit=500'),
        () => (pair ? { path: `/v2/pairs/${pair}`, expected: [200, 404] } : valid('/v2/coverage')),
        () => (pair ? { path: `/v2/pairs/${pair}/history`, expected: [200, 404] } : valid('/v2/categories')),
        () => valid('/v2/search?q=a&page_size=10'),
        () => valid('/v2/spreads?limit=50'),
        () => valid('/v2/categories'),
        () => valid('/v1/account'),
        () => ({ path: '/v1/stream/token', method: 'POST', expected: [200] }),
        () => ({ path: '/v2/markets?limit=0', expected: [422] }),
        () => ({ path: '/v2/markets?status=asleep', expected: [422] }),
        () => ({ path: '/v2/search?q=', expected: [400] }),
        () => ({ path: '/v2/pairs/mkt_00000000-0000-4000-8000-000000000000', expected: [404] }),
        () => ({ path: '/v2/report-bad-arb', method: 'POST', body: '{}', expected: [400] }),
        () => ({ path: '/v2/markets', key: 'sk_live_unknown', expected: [401] }),
      ],
      this.#random,
    )();
  }
}

function parseError(text: string): { code?: unknown } {
  try {
    return JSON.parse(text) as { code?: unknown };
  } catch {
    return {};
  }
}
