import { type HttpResponse, json } from '../core/http.ts';
import { wideCondition } from '../core/ids.ts';
import type { Faults } from '../faults/faults.ts';
import type { SourceB } from './source.ts';

/** Venue B's data API: GET /v2/resolutions (venues.md G9, its OpenAPI document of 2026-11). */

const MAX_CONDITIONS = 20;
const CONDITION = /^0x[0-9a-f]{64}$/i;

export class Data {
  readonly #source: SourceB;
  readonly #faults: Faults;

  constructor(source: SourceB, faults: Faults) {
    this.#source = source;
    this.#faults = faults;
  }

  /** `path` is the part after /data. */
  answer(path: string, query: URLSearchParams): HttpResponse {
    if (path !== '/v2/resolutions') return failure(404, 'not_found', 'no such route');
    const failing = this.#faults.resolutionFailure();
    if (failing === '503') return failure(503, 'dependency_unavailable', 'the datastore is busy');
    const conditions = (query.get('condition') ?? '').split(',').filter((one) => one !== '');
    if (conditions.length === 0 || conditions.length > MAX_CONDITIONS)
      return failure(400, 'invalid_request', `between 1 and ${MAX_CONDITIONS} conditions`);
    // The 31-byte form of the metadata API is not accepted here.
    if (!conditions.every((one) => CONDITION.test(one)))
      return failure(400, 'invalid_request', 'a condition is 0x and 64 hexadecimal digits');
    const rows = failing === 'none' ? [] : conditions.flatMap((one) => this.#source.resolution(wide(one)) ?? []);
    return json({ data: rows });
  }
}

const wide = (condition: string): string => wideCondition(condition.toLowerCase());

const failure = (status: number, code: string, error: string): HttpResponse =>
  json({ error, code, retryable: status === 503, trace_id: 'simulated' }, status);
