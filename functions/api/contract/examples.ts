import file from './examples.json' with { type: 'json' };

/** A request, as path and query after the base url with its JSON body if any, and the answer that it got. */
export type Example = { request: string; body?: object; answer: unknown };

/** Real answers by `METHOD /path` of the document, and one by `422`. Written by `npm run examples`, never by hand. */
export const examples: Readonly<Record<string, Example>> = file;
