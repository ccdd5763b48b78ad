/** The state of a venue's feed, as `GET /health` returns it. */
export type FeedState = 'up' | 'stale' | 'down' | 'unknown';
