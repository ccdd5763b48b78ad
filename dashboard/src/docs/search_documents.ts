import type { ApiDocument, Endpoint, Operation, Reference, Schema } from './document.ts';
import { nameOf, resolve } from './document.ts';
import type { SectionText } from './guide.ts';
import { guidePath, REFERENCE_PATH } from './paths.ts';

/** A text that the search finds. `where` names its place for the reader. */
export type SearchDocument = {
  id: number;
  kind: 'Guide' | 'Reference' | 'Endpoint' | 'Parameter' | 'Field' | 'Error';
  title: string;
  where: string;
  href: string;
  lines: readonly string[];
  method?: string;
};

type Found = Omit<SearchDocument, 'id'>;

/** Sections of guides; chapters, endpoints, parameters, fields and error codes of the reference. */
export function documentsOf(
  texts: readonly SectionText[],
  api: ApiDocument | undefined,
  reference: Reference | undefined,
): SearchDocument[] {
  const sections = texts.map(
    ({ slug, guide, id, title, lines }): Found => ({
      kind: 'Guide',
      title,
      where: id === '' ? 'Guide' : guide,
      href: guidePath(slug) + (id && `#${id}`),
      lines,
    }),
  );
  const found = [...sections, ...(api && reference ? ofReference(api, reference) : [])];
  return found.map((document, id) => ({ id, ...document }));
}

function ofReference(api: ApiDocument, { chapters, sections }: Reference): Found[] {
  const endpoints = sections.flatMap((section) => section.endpoints);
  return [
    ...chapters.map(
      ({ id, title, text }): Found => ({
        kind: 'Reference',
        title,
        where: 'API reference',
        href: `${REFERENCE_PATH}#${id}`,
        lines: text.split(/\n+/),
      }),
    ),
    ...endpoints.map(
      (endpoint): Found => ({
        kind: 'Endpoint',
        title: endpoint.operation.summary,
        where: endpoint.path,
        href: hrefOf(endpoint),
        lines: [`${endpoint.method} ${endpoint.path}`, endpoint.operation.description],
        method: endpoint.method,
      }),
    ),
    ...endpoints.flatMap(parametersOf),
    ...fieldsOf(api, endpoints),
    ...errorsOf(endpoints),
  ];
}

const hrefOf = ({ id }: Endpoint): string => `${REFERENCE_PATH}#${id}`;

const parametersOf = (endpoint: Endpoint): Found[] =>
  (endpoint.operation.parameters ?? []).map(({ name, description = '', schema }) => ({
    kind: 'Parameter',
    title: name,
    where: endpoint.operation.summary,
    href: hrefOf(endpoint),
    lines: [description, wordsOf(schema)],
  }));

/** The fields of requests and responses. A schema of several endpoints appears with the first. */
function fieldsOf(api: ApiDocument, endpoints: readonly Endpoint[]): Found[] {
  const found: Found[] = [];
  const seen = new Set<string>();
  const follow = (endpoint: Endpoint, schema: Schema | undefined, path: string): void => {
    if (!schema) return;
    const name = nameOf(schema);
    if (name && seen.has(name)) return;
    if (name) seen.add(name);
    const { properties = {}, items, anyOf = [] } = resolve(api, schema);
    for (const [title, field] of Object.entries(properties)) {
      const lines = [resolve(api, field).description ?? '', wordsOf(field)];
      const where = `${name ?? path} · ${endpoint.operation.summary}`;
      found.push({ kind: 'Field', title, where, href: hrefOf(endpoint), lines });
      follow(endpoint, field, name ? `${name}.${title}` : title);
    }
    for (const inner of [...anyOf, ...(items ? [items] : [])]) follow(endpoint, inner, name ?? path);
  };
  for (const endpoint of endpoints) {
    const { requestBody, responses } = endpoint.operation;
    follow(endpoint, requestBody?.content['application/json'].schema, 'Body');
    for (const [status, answer] of Object.entries(responses)) {
      if (status.startsWith('2')) follow(endpoint, answer.content?.['application/json']?.schema, 'Response');
    }
  }
  return found;
}

const wordsOf = ({ enum: own, items }: Schema): string => (items?.enum ?? own ?? []).join(' ');

/** Each error code once, with the endpoints that return it. */
function errorsOf(endpoints: readonly Endpoint[]): Found[] {
  const byCode = new Map<string, { status: string; message: string; from: Endpoint[] }>();
  for (const endpoint of endpoints) {
    for (const { status, code, message } of codesOf(endpoint.operation)) {
      const known = byCode.get(code);
      if (known) known.from.push(endpoint);
      else byCode.set(code, { status, message, from: [endpoint] });
    }
  }
  return [...byCode].map(
    ([
      title,
      {
        status,
        message,
        from: [first, ...others],
      },
    ]) => ({
      kind: 'Error',
      title,
      where: `Status ${status} · ${first?.operation.summary}${others.length > 0 ? ` and ${others.length} more` : ''}`,
      href: first ? hrefOf(first) : REFERENCE_PATH,
      lines: [message],
    }),
  );
}

const codesOf = ({ responses }: Operation): { status: string; code: string; message: string }[] =>
  Object.entries(responses).flatMap(([status, { content }]) =>
    Object.entries(content?.['application/json']?.examples ?? {}).map(([code, { value }]) => ({
      status,
      code,
      message: String((value as { error?: unknown } | null)?.error ?? ''),
    })),
  );
