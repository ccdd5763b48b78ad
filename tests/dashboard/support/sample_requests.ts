import { samplesOf } from '../../../dashboard/src/docs/code_samples.ts';
import type { Endpoint } from '../../../dashboard/src/docs/document.ts';
import { draftOf } from '../../../dashboard/src/docs/draft.ts';
import type { SampleLanguage } from '../../../dashboard/src/docs/sample_language.ts';

/** What a sample sends. A list in the query is one text per item, as with commas or repeated. */
export type SentRequest = {
  method: string;
  path: string;
  query: [name: string, value: string][];
  key: string | null;
  accept: string | null;
  contentType: string | null;
  body: unknown;
};

/** The sample of an endpoint with its example request. */
export const sampleOf = (endpoint: Endpoint, language: SampleLanguage, baseUrl: string): string =>
  samplesOf(endpoint, draftOf(endpoint), baseUrl).find((sample) => sample.language === language)?.text ?? '';

export function sentRequest(method: string, address: string, headers: Headers, body: string | undefined): SentRequest {
  const url = new URL(address, 'http://base');
  return {
    method,
    path: decodeURIComponent(url.pathname),
    query: [...url.searchParams]
      .flatMap(([name, list]) => list.split(',').map((value): [string, string] => [name, value]))
      .sort(),
    key: headers.get('authorization'),
    accept: headers.get('accept')?.replace('*/*', '') || null,
    contentType: headers.get('content-type'),
    body: body ? JSON.parse(body) : null,
  };
}

/** The request of a curl sample, from its arguments as a shell splits them. */
export function parseCurl(sample: string): SentRequest {
  const words = [...sample.replaceAll('\\\n', ' ').matchAll(/'((?:[^']|'\\'')*)'|(\S+)/g)].map(
    ([, quoted, plain]) => quoted?.replaceAll("'\\''", "'") ?? plain ?? '',
  );
  const option = (name: string) => words.flatMap((word, index) => (word === name ? [words[index + 1] ?? ''] : []));
  const headers = new Headers(option('-H').map((header) => header.split(': ') as [string, string]));
  return sentRequest(option('-X')[0] ?? 'GET', words[2] ?? '', headers, option('-d')[0]);
}
