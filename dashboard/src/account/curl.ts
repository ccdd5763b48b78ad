import { API_URL } from '../api_url.ts';

/** A curl command that works as pasted: the five markets with the widest spread. */
export const exampleCurl = (key: string): string =>
  `curl -s '${API_URL}/v2/markets?limit=5&sort=-spread_pts' \\\n  -H 'Authorization: Bearer ${key}'`;
