import { type HttpResponse, json } from './core/http.ts';
import { type Faults, isFaultRequest } from './faults/faults.ts';
import type { SourceA } from './venue_a/source.ts';
import type { Control } from './venue_a/venue.ts';
import type { SourceB } from './venue_b/source.ts';
import { bookAtOf } from './world/ground_truth.ts';

/** Information that only a simulated world has; a recording has none. */
export type ScenarioInfo = {
  truth(): Record<string, unknown>;
  opportunities(since: number): readonly Record<string, unknown>[];
  /** The ground truth of the settled past. */
  past(query: URLSearchParams): Promise<HttpResponse>;
};

/**
 * The control endpoints of the simulator, below /_sim on venue A's server: GET truth, GET
 * opportunities?since=ms, GET past?series=&days=&occasions=, GET book?ticker=|token_id=&at=ms, GET
 * time, GET faults, POST fault {"fault", "for_ms"?, "venue"?, "ticker"?, "token_id"?, "slug"?,
 * "how"?}. The real venues have no such endpoints.
 */
export function controlOf(a: SourceA, b: SourceB, faults: Faults, scenario: ScenarioInfo): Control {
  const book = (query: URLSearchParams): HttpResponse => {
    const at = query.has('at') ? Number(query.get('at')) : a.now();
    if (!Number.isFinite(at)) return json({ error: 'at must be a number of milliseconds' }, 400);
    const token = query.get('token_id');
    const onB = token ? b.history(token) : undefined;
    const history = token ? onB?.history : a.market(query.get('ticker') ?? '')?.history;
    if (!history) return json({ error: 'book not found' }, 404);
    const top = bookAtOf(history, at, onB?.flipped ?? false);
    return top ? json(top) : json({ error: 'no history at this time', at }, 404);
  };
  const opportunities = (query: URLSearchParams): HttpResponse => {
    const since = Number(query.get('since') ?? 0);
    if (!Number.isFinite(since)) return json({ error: 'since must be a number of milliseconds' }, 400);
    return json({ now: a.now(), opportunities: scenario.opportunities(since) });
  };
  return (method, path, query, body) => {
    if (method === 'GET' && path === 'truth') return json(scenario.truth());
    if (method === 'GET' && path === 'opportunities') return opportunities(query);
    if (method === 'GET' && path === 'past') return scenario.past(query);
    if (method === 'GET' && path === 'book') return book(query);
    if (method === 'GET' && path === 'time') return json({ now: a.now() });
    if (method === 'GET' && path === 'faults') return json({ injected: faults.injected });
    if (method === 'POST' && path === 'fault') {
      if (!isFaultRequest(body)) return json({ error: 'unknown fault' }, 400);
      const hit = faults.inject(body);
      return hit ? json({ fault: body.fault, hit }) : json({ error: 'no target for this fault' }, 409);
    }
    return null;
  };
}
