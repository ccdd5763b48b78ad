import { API_URL } from '../api_url.ts';

/** A request that works when pasted: where the two venues disagree the most. */
export const exampleCurl = (key: string): string =>
  `curl -s '${API_URL}/v2/markets?limit=5&sort=-spread_pts' \\\n  -H 'Authorization: Bearer ${key}'`;
