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
  'x-example-request'?: { path: string; headers?: Record<string, string>; body?: object };
};

export type ApiDocument = {
  info: { title: string; version: string; description: string };
  tags: { name: string; description: string }[];
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, Schema> };
};

/** An entry of the reference: a chapter of the description or an endpoint. */
export type Chapter = { id: string; title: string; text: string };
export type Endpoint = { id: string; method: string; path: string; operation: Operation };
export type Section = { title: string; description: string; endpoints: Endpoint[] };
export type Reference = { chapters: Chapter[]; sections: Section[] };

/** Chapters and endpoints in the order of the document. */
export function toReference(api: ApiDocument): Reference {
  const [opening = '', ...rest] = api.info.description.split(/^## /m);
  const chapters = [`Overview\n${opening}`, ...rest].map((part) => {
    const end = part.indexOf('\n');
    const title = part.slice(0, end).trim();
    return { id: slug(title), title, text: part.slice(end).trim() };
  });
  const endpoints = Object.entries(api.paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, operation]) => ({
      id: operation.operationId,
      method: method.toUpperCase(),
      path,
      operation,
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
