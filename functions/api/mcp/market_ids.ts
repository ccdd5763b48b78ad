import { parseMarketUuid } from '../http/parameters.ts';
import { type Issue, issue } from '../http/validation.ts';

/** The UUIDs of market ids, each once, with an issue for every text that is none. */
export function parseMarketIds(ids: readonly string[], name: string): { pairs: string[]; detail: Issue[] } {
  const pairs = new Set<string>();
  const detail: Issue[] = [];
  for (const [index, id] of ids.entries()) {
    const uuid = parseMarketUuid(id);
    if (uuid !== undefined) pairs.add(uuid);
    else {
      const msg = 'Input should be a market id: mkt_ and a UUID';
      detail.push(issue('uuid_parsing', ['arguments', name, index], msg, id));
    }
  }
  return { pairs: [...pairs], detail };
}
