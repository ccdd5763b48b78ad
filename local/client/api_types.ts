import { compile } from 'json-schema-to-typescript';
import { routes } from '../../functions/api/app.ts';
import { API_VERSION } from '../../functions/api/app_types.ts';
import { buildDocument } from '../../functions/api/contract/document.ts';

// The types of the client package, from the document that /openapi.json serves.

type Schema = { [keyword: string]: unknown };
type Content = { content?: { 'application/json'?: { schema: Schema } } };
type Operation = {
  parameters?: { name: string; in: 'path' | 'query'; required?: boolean; description?: string; schema: Schema }[];
  requestBody?: Content & { required?: boolean };
  responses: Record<string, Content>;
};
type Document = {
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, Schema> };
};

const DESCRIPTION_WIDTH = 88;

export const apiDocument = async (): Promise<object> => await buildDocument(routes, undefined);

/** The TypeScript of `paths` (the input of openapi-fetch) and of each named schema. */
export async function apiTypes(): Promise<string> {
  const { paths, components } = (await apiDocument()) as Document;
  const schema = {
    ...objectOf(
      Object.entries(paths).map(([path, operations]) => [
        path,
        objectOf(Object.entries(operations).map(([method, operation]) => [method, operationSchema(operation)])),
      ]),
    ),
    definitions: components.schemas,
  };
  const text = await compile(forCompiler(schema) as Schema, 'paths', {
    additionalProperties: false,
    bannerComment: `// Written by \`npm run client\` from /openapi.json of version ${API_VERSION}. Do not change it here.`,
    unreachableDefinitions: true,
    style: { singleQuote: true, printWidth: 120, trailingComma: 'all' },
  });
  return (
    text
      // openapi-fetch takes a status as a number.
      .replaceAll(/'(\d{3})': \{/g, '$1: {')
      .replaceAll(
        /\n \*\n \* This interface was referenced by `Paths`'s JSON-Schema\n \* via the `definition` "\w+"\./g,
        '',
      )
  );
}

function operationSchema({ parameters = [], requestBody, responses }: Operation): Schema {
  const placed = (place: 'path' | 'query') => {
    const own = parameters.filter((parameter) => parameter.in === place);
    const required = own.filter((parameter) => parameter.required).map(({ name }) => name);
    const properties = own.map(({ name, schema, description }) => [name, { ...schema, description }] as const);
    return own.length === 0 ? [] : [[place, objectOf(properties, required)] as const];
  };
  const places = [...placed('query'), ...placed('path')];
  const requiredPlaces = places.filter(([, { required }]) => (required as string[]).length > 0).map(([place]) => place);
  return objectOf(
    [
      ['parameters', objectOf(places, requiredPlaces)],
      ...(requestBody ? [['requestBody', contentSchema(requestBody)] as const] : []),
      ['responses', objectOf(Object.entries(responses).map(([status, answer]) => [status, contentSchema(answer)]))],
    ],
    ['parameters', 'responses', ...(requestBody?.required ? ['requestBody'] : [])],
  );
}

function contentSchema({ content }: Content): Schema {
  const json = content?.['application/json'];
  return json ? objectOf([['content', objectOf([['application/json', json.schema]])]]) : objectOf([]);
}

function objectOf(properties: readonly (readonly [string, Schema])[], required?: readonly string[]): Schema {
  return {
    type: 'object',
    properties: Object.fromEntries(properties),
    required: required ?? properties.map(([name]) => name),
    additionalProperties: false,
  };
}

/** Refers to definitions, and wraps descriptions: the compiler writes them as they are. */
function forCompiler(value: unknown, name = ''): unknown {
  if (typeof value === 'string') {
    if (name === '$ref') return value.replace('#/components/schemas/', '#/definitions/');
    return name === 'description' ? wrapped(value) : value;
  }
  if (Array.isArray(value)) return value.map((item) => forCompiler(item));
  if (typeof value !== 'object' || value === null) return value;
  // A range of counts would become a union of tuples.
  const { minItems: _, maxItems: __, ...rest } = value as Schema;
  return Object.fromEntries(Object.entries(rest).map(([key, inner]) => [key, forCompiler(inner, key)]));
}

function wrapped(text: string): string {
  const lines = [''];
  for (const word of text.split(/\s+/)) {
    const line = lines.at(-1) ?? '';
    if (line !== '' && line.length + 1 + word.length > DESCRIPTION_WIDTH) lines.push(word);
    else lines[lines.length - 1] = line === '' ? word : `${line} ${word}`;
  }
  return lines.join('\n');
}
