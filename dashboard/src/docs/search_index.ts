import MiniSearch from 'minisearch';
import type { ApiDocument, Reference } from './document.ts';
import type { SectionText } from './guide.ts';
import { documentsOf, type SearchDocument } from './search_documents.ts';

export type Hit = SearchDocument & { terms: readonly string[] };

const MAX_HITS = 40;

/** A name in the query is one word; in a text its parts are words too. */
const wordsOf = (text: string): string[] =>
  (text.toLowerCase().match(/[\p{L}\p{N}_./:-]+/gu) ?? [])
    .map((word) => word.replaceAll(/^[./:-]+|[./:-]+$/g, ''))
    .filter((word) => word !== '');

const withParts = (text: string): string[] =>
  wordsOf(text).flatMap((word) => [
    ...new Set([word, ...word.split(/[./:-]/), ...word.split(/[._/:-]/)].filter((part) => part !== '')),
  ]);

/** An endpoint or a name is what a reader most often looks for. */
const WEIGHTS: Readonly<Record<SearchDocument['kind'], number>> = {
  Endpoint: 1.6,
  Error: 1.4,
  Guide: 1.2,
  Reference: 1.2,
  Parameter: 1,
  Field: 1,
};

/** The index over the guides and, once it is loaded, the reference. */
export function indexOf(
  texts: readonly SectionText[],
  api: ApiDocument | undefined,
  reference: Reference | undefined,
): (query: string) => Hit[] {
  const documents = documentsOf(texts, api, reference);
  const index = new MiniSearch<SearchDocument>({
    fields: ['title', 'where', 'lines'],
    extractField: (document, field) => {
      const value = document[field as keyof SearchDocument];
      return Array.isArray(value) ? value.join('\n') : String(value ?? '');
    },
    tokenize: withParts,
    searchOptions: {
      tokenize: wordsOf,
      combineWith: 'AND',
      prefix: true,
      // A mistyped letter of a plain word. Names must be exact.
      fuzzy: (term) => (/^\p{L}{5,}$/u.test(term) ? 1 : false),
      boost: { title: 4, where: 1.5 },
      boostDocument: (id) => WEIGHTS[documents[Number(id)]?.kind ?? 'Field'],
    },
  });
  index.addAll(documents);
  return (query) =>
    index
      .search(query)
      .slice(0, MAX_HITS)
      .flatMap(({ id, terms }) => {
        const document = documents[Number(id)];
        return document ? [{ ...document, terms }] : [];
      });
}
