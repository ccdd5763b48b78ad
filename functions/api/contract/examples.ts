import file from './examples.json' with { type: 'json' };

/**
 * A request (path and query after the base URL, and a JSON body if any) and its response. A 204 has
 * no `answer`.
 */
export type Example = { request: string; body?: object; answer?: unknown };

/**
 * Recorded responses by `METHOD /path`, and one by `422`. `npm run examples` writes the file; do
 * not edit it.
 */
export const examples: Readonly<Record<string, Example>> = file;
