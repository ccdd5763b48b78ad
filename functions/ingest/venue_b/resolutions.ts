import { isObject, isoTime, parseRecord, rejectedRow } from '../feeds/parse.ts';
import type { RejectedRow } from '../listing.ts';
import { type VenueBRest, wideCondition } from './rest.ts';
import { resolutionRow } from './schemas.ts';

/**
 * What the data API answers about the result of a market of the protocol v2. `unread`: the request
 * failed, so nothing is known.
 */
export type Resolution =
  | { state: 'resolved'; payout: string; settledAt: string | null }
  | { state: 'proposed' | 'open' | 'unread' };

/** The resolutions of markets, by the condition id that Gamma writes. */
export type Resolutions = ReadonlyMap<string, Resolution>;

export const NO_RESOLUTIONS: Resolutions = new Map();

/** A complete set of shares pays $1, in millionths of a dollar. */
const FULL_PAYOUT = 1_000_000;

/** Statuses of a condition before anyone proposes a result. */
const OPEN_STATUSES = new Set(['initialized', 'active']);

/** Whether the result of a listed market is that of its resolution row. */
export function isResolvedByRow(market: { version?: unknown; closed?: unknown }): boolean {
  return market.version === 'v2' && market.closed === true;
}

const MAX_REMEMBERED = 20_000;
/** After a failed request none is sent for this long, so that an outage delays no listing. */
const PAUSE_AFTER_FAILURE_MS = 30_000;

/**
 * Reads the resolutions of the closed v2 markets of some events. Remembers final ones, because they
 * do not change. When a request fails, its markets are `unread`: they keep their stored state, and
 * the other markets are listed.
 */
export class ResolutionReader {
  readonly #rest: Pick<VenueBRest, 'resolutions'>;
  readonly #now: () => number;
  readonly #final = new Map<string, Resolution>();
  #pausedUntil = Number.NEGATIVE_INFINITY;

  /** `now`: real time, epoch ms. */
  constructor(rest: Pick<VenueBRest, 'resolutions'>, now: () => number) {
    this.#rest = rest;
    this.#now = now;
  }

  async read(events: readonly unknown[]): Promise<{ resolutions: Resolutions; rejected: RejectedRow[] }> {
    const conditions = events.flatMap(closedConditions);
    const asked = conditions.filter((condition) => !this.#final.has(condition));
    const rejected: RejectedRow[] = [];
    const read = await this.#request(asked, rejected);
    for (const [condition, resolution] of read) {
      if (resolution.state !== 'resolved') continue;
      if (this.#final.size >= MAX_REMEMBERED) this.#final.clear();
      this.#final.set(condition, resolution);
    }
    const known = conditions.flatMap((condition): [string, Resolution][] => {
      const final = this.#final.get(condition);
      return final ? [[condition, final]] : [];
    });
    return { resolutions: new Map([...known, ...read]), rejected };
  }

  async #request(conditions: readonly string[], rejected: RejectedRow[]): Promise<Map<string, Resolution>> {
    if (conditions.length === 0) return new Map();
    try {
      if (this.#now() < this.#pausedUntil) throw new Error('the last request failed less than 30 s ago.');
      const rows = await this.#rest.resolutions(conditions);
      return resolutionsIn(rows, conditions, rejected);
    } catch (error) {
      if (this.#now() >= this.#pausedUntil) this.#pausedUntil = this.#now() + PAUSE_AFTER_FAILURE_MS;
      const detail = `The resolutions of venue_b could not be read: ${String(error)}`;
      for (const condition of conditions)
        rejected.push(rejectedRow('market', condition, 'market.resolution_unread', detail, null));
      return new Map(conditions.map((condition) => [condition, { state: 'unread' }]));
    }
  }
}

/** The resolutions of these conditions. A condition without a row is open: nothing is proposed. */
function resolutionsIn(
  rows: readonly unknown[],
  conditions: readonly string[],
  rejected: RejectedRow[],
): Map<string, Resolution> {
  const byWide = new Map<string, Resolution>();
  for (const raw of rows) {
    const row = parseResolution(raw);
    if ('resolution' in row) byWide.set(wideCondition(row.condition), row.resolution);
    else rejected.push(row.rejected);
  }
  return new Map(
    conditions.map((condition) => [condition, byWide.get(wideCondition(condition)) ?? { state: 'open' as const }]),
  );
}

type ParsedRow = { condition: string; resolution: Resolution } | { rejected: RejectedRow };

/** A payout that is not one dollar in all is rejected, never scaled: its unit would be a guess. */
export function parseResolution(raw: unknown): ParsedRow {
  const row = parseRecord(resolutionRow, raw, 'market');
  if (!row.ok) {
    const id = isObject(raw) ? raw.condition_id : undefined;
    return { rejected: rejectedRow('resolution', id, `resolution.${suffixOf(row.code)}`, row.detail, raw) };
  }
  const { condition_id, status, payouts, resolved_at } = row.value;
  if (status !== 'resolved') {
    const state = OPEN_STATUSES.has(status) ? 'open' : 'proposed';
    return { condition: condition_id, resolution: { state } };
  }
  const [first = 0, second = 0] = payouts ?? [];
  if (payouts?.length !== 2 || first + second !== FULL_PAYOUT) {
    const detail = `The payouts ${JSON.stringify(payouts ?? null)} are not one dollar for two outcomes.`;
    return { rejected: rejectedRow('resolution', condition_id, 'resolution.wrong_payouts', detail, raw) };
  }
  const payout = String(first / FULL_PAYOUT);
  return { condition: condition_id, resolution: { state: 'resolved', payout, settledAt: isoTime(resolved_at) } };
}

const suffixOf = (code: string): string => code.slice(code.indexOf('.') + 1);

/** The closed v2 markets of an event, by condition. */
function closedConditions(event: unknown): string[] {
  const markets = isObject(event) && Array.isArray(event.markets) ? event.markets : [];
  return markets.flatMap((market: unknown) =>
    isObject(market) && typeof market.conditionId === 'string' && isResolvedByRow(market) ? [market.conditionId] : [],
  );
}
