/**
 * The guides of the documentation, in navigation order. `slug` is the path below /docs/, `file` the
 * Markdown file in docs/. A guide whose file does not exist stops the build.
 */
export const guideFiles = [
  { slug: 'rest', file: 'rest.md' },
  { slug: 'stream', file: 'stream.md' },
  { slug: 'stream-frames', file: 'stream_frames.md' },
  { slug: 'client', file: 'client.md' },
  { slug: 'client-python', file: 'client_python.md' },
  { slug: 'stream-clients', file: 'stream_clients.md' },
  { slug: 'webhooks', file: 'webhooks.md' },
  { slug: 'mcp', file: 'mcp.md' },
  { slug: 'trading', file: 'trading.md' },
  { slug: 'matching', file: 'matching.md' },
] as const;
