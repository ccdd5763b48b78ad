// The parts of an OpenAPI 3.1 document that the reference uses.

export type Schema = {
  $ref?: string;
  type?: string | string[];
  description?: string;
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  anyOf?: Schema[];
  enum?: unknown[];
  const?: unknown;
  format?: string;
  minimum?: number;
  maximum?: number;
  exclusiveMinimum?: number;
  exclusiveMaximum?: number;
  minLength?: number;
  maxLength?: number;
  pattern?: string;
  default?: unknown;
};

export type Parameter = {
  name: string;
  in: string;
  required?: boolean;
  deprecated?: boolean;
  description?: string;
  schema: Schema;
};

type Media = { schema?: Schema; example?: unknown; examples?: Record<string, { value: unknown }> };

export type ApiResponse = { description: string; content?: { 'application/json'?: Media } };

export type Operation = {
  operationId: string;
  tags: string[];
  summary: string;
  description: string;
  deprecated?: boolean;
  security?: unknown[];
  parameters?: Parameter[];
  requestBody?: { content: { 'application/json': Media } };
  responses: Record<string, ApiResponse>;
  'x-example-request'?: { path: string; body?: object };
};

export type ApiDocument = {
  info: { title: string; version: string; description: string };
  tags: { name: string; description: string }[];
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, Schema> };
};

/**
 * An entry of the reference: a chapter of the description or an endpoint. The search matches
 * `searchText`.
 */
export type Chapter = { id: string; title: string; text: string; searchText: string };
export type Endpoint = { id: string; method: string; path: string; operation: Operation; searchText: string };
export type Section = { title: string; description: string; endpoints: Endpoint[] };
export type Reference = { chapters: Chapter[]; sections: Section[] };

/** Chapters and endpoints in the order of the document. */
export function toReference(api: ApiDocument): Reference {
  const [opening = '', ...rest] = api.info.description.split(/^## /m);
  const chapters = [`Overview\n${opening}`, ...rest].map((part) => {
    const end = part.indexOf('\n');
    const title = part.slice(0, end).trim();
    return { id: slug(title), title, text: part.slice(end).trim(), searchText: part.toLowerCase() };
  });
  const endpoints = Object.entries(api.paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, operation]) => ({
      id: operation.operationId,
      method: method.toUpperCase(),
      path,
      operation,
      searchText: searchTextOf(api, method, path, operation),
    })),
  );
  const sections = api.tags.map(({ name, description }) => ({
    title: name,
    description,
    endpoints: endpoints.filter((endpoint) => endpoint.operation.tags[0] === name),
  }));
  return { chapters, sections: sections.filter((section) => section.endpoints.length > 0) };
}

function slug(title: string): string {
  return title.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-');
}

/**
 * Method, path, texts, parameters and the names of all request and response fields, in lower case.
 */
function searchTextOf(api: ApiDocument, method: string, path: string, operation: Operation): string {
  const names = new Set<string>();
  const seen = new Set<string>();
  const follow = (schema: Schema | undefined): void => {
    if (!schema) return;
    if (schema.$ref) {
      if (seen.has(schema.$ref)) return;
      seen.add(schema.$ref);
    }
    const { properties = {}, items, anyOf = [] } = resolve(api, schema);
    for (const [name, inner] of Object.entries(properties)) {
      names.add(name);
      follow(inner);
    }
    follow(items);
    for (const inner of anyOf) follow(inner);
  };
  follow(operation.requestBody?.content['application/json'].schema);
  for (const [status, answer] of Object.entries(operation.responses)) {
    if (status.startsWith('2')) follow(answer.content?.['application/json']?.schema);
  }
  const parameters = (operation.parameters ?? []).map((parameter) => parameter.name);
  return [method, path, operation.summary, operation.description, ...parameters, ...names].join(' ').toLowerCase();
}

/** Resolves a $ref. A description next to the $ref replaces that of the schema. */
export function resolve(api: ApiDocument, schema: Schema): Schema {
  if (!schema.$ref) return schema;
  const named = api.components.schemas[nameOf(schema) ?? ''] ?? {};
  return { ...named, description: schema.description ?? named.description };
}

/** The schema name of a $ref. */
export function nameOf(schema: Schema): string | undefined {
  return schema.$ref?.split('/').at(-1);
}
