import { type HttpResponse, json } from './core/http.ts';
import { type Faults, isFaultRequest } from './faults/faults.ts';
import type { SettledHistory } from './settled_history/settled_history.ts';
import type { Control } from './venue_a/server.ts';
import type { SourceA } from './venue_a/source.ts';
import type { SourceB } from './venue_b/source.ts';
import { bookAtOf } from './world/ground_truth.ts';

/** What only a simulated world knows; a recording knows nothing. */
export type ScenarioInfo = {
  truth(): Record<string, unknown>;
  windows(since: number): readonly Record<string, unknown>[];
  /** Null while it is being counted. */
  history(): SettledHistory | null;
};

/**
 * The simulator's own pages, below /_sim on venue A's server: GET truth, GET windows?since=ms, GET history,
 * GET book?ticker=|token_id=&at=ms, GET time, GET traps, POST trap {"trap", "for_ms"?, "venue"?, "ticker"?, "token_id"?, "slug"?, "how"?}. No venue has them.
 */
export function controlOf(a: SourceA, b: SourceB, traps: Faults, scenario: ScenarioInfo): Control {
  const book = (query: URLSearchParams): HttpResponse => {
    const at = query.has('at') ? Number(query.get('at')) : a.now();
    if (!Number.isFinite(at)) return json({ error: 'at is no number of milliseconds' }, 400);
    const token = query.get('token_id');
    const onB = token ? b.history(token) : undefined;
    const history = token ? onB?.history : a.market(query.get('ticker') ?? '')?.history;
    if (!history) return json({ error: 'no such book' }, 404);
    const shown = bookAtOf(history, at, onB?.flipped ?? false);
    return shown ? json(shown) : json({ error: 'not remembered', at }, 404);
  };
  const windows = (query: URLSearchParams): HttpResponse => {
    const since = Number(query.get('since') ?? 0);
    if (!Number.isFinite(since)) return json({ error: 'since is no number of milliseconds' }, 400);
    return json({ now: a.now(), windows: scenario.windows(since) });
  };
  return (method, path, query, body) => {
    if (method === 'GET' && path === 'truth') return json(scenario.truth());
    if (method === 'GET' && path === 'windows') return windows(query);
    if (method === 'GET' && path === 'history') {
      const past = scenario.history();
      return past ? json(past) : json({ counting: true }, 202);
    }
    if (method === 'GET' && path === 'book') return book(query);
    if (method === 'GET' && path === 'time') return json({ now: a.now() });
    if (method === 'GET' && path === 'traps') return json({ seen: traps.seen });
    if (method === 'POST' && path === 'trap') {
      if (!isFaultRequest(body)) return json({ error: 'unknown trap' }, 400);
      const hit = traps.pull(body);
      return hit ? json({ trap: body.trap, hit }) : json({ error: 'nothing to spring it on' }, 409);
    }
    return null;
  };
}
