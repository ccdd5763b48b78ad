import { z } from 'zod';
import { resources } from './fields.ts';

export type JsonSchema = z.core.JSONSchema.BaseSchema;

const schemaRef = (id: string) => `#/components/schemas/${id}`;

/** JSON schemas that `document` refers to by name, directly or through another schema. */
export function schemasFor(document: object): Record<string, JsonSchema> {
  const all = namedSchemas();
  const used = new Set<string>();
  const collect = (part: unknown) => {
    for (const [, id = ''] of JSON.stringify(part).matchAll(/"#\/components\/schemas\/(\w+)"/g)) {
      if (used.has(id)) continue;
      used.add(id);
      collect(all[id]);
    }
  };
  collect(document);
  return Object.fromEntries(Object.entries(all).filter(([id]) => used.has(id)));
}

function namedSchemas(): Record<string, JsonSchema> {
  const { schemas } = z.toJSONSchema(resources, { uri: schemaRef, override: simplifySchema });
  const entries = Object.entries(schemas).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([id, { $schema, $id, ...schema }]) => [id, schema]));
}

/** A `$ref` to a named schema. @throws Error for a schema without a name */
export function schemaRefOf(schema: z.ZodType): { $ref: string } {
  const id = resources.get(schema)?.id;
  if (id === undefined) throw new Error('the schema of a response has no name');
  return { $ref: schemaRef(id) };
}

export type ParameterSchema = {
  name: string;
  required: boolean;
  description: string | undefined;
  deprecated: boolean;
  schema: JsonSchema;
};

/** The parameters of an object schema, as JSON schemas of the input. */
export function parametersOf(parameters: z.ZodObject): ParameterSchema[] {
  const { properties = {}, required = [] } = z.toJSONSchema(parameters, { io: 'input', override: simplifySchema });
  return Object.entries(properties).map(([name, property]) => {
    // The documented default may differ from the parser's: see defaultOf.
    const { description, deprecated, wanted, default: _, ...schema } = property as JsonSchema & { wanted?: boolean };
    const parser = parameters.shape[name] as z.ZodType;
    return {
      name,
      // A schema may accept an absent value and reject it with its own message.
      required: wanted === true || required.includes(name),
      description,
      deprecated: deprecated === true,
      schema: { ...schema, ...(wanted === true ? {} : defaultOf(parser)) },
    };
  });
}

/** JSON schema of a request body. */
export function bodySchema(body: z.ZodType): JsonSchema {
  const { $schema, ...schema } = z.toJSONSchema(body, { io: 'input', override: simplifySchema });
  return schema;
}

/**
 * The value that the parser returns for an absent parameter. The documented default may differ from
 * it.
 */
function defaultOf(parser: z.ZodType): { default?: unknown } {
  const parsed = parser.safeParse(undefined);
  return parsed.success && parsed.data !== undefined && parsed.data !== null ? { default: parsed.data } : {};
}

const MAX_INTEGER = Number.MAX_SAFE_INTEGER;

/** Removes keywords that would mislead a reader of the document. */
function simplifySchema({ jsonSchema }: { jsonSchema: JsonSchema }): void {
  // Our schemas are strict, so that tests find an undocumented field. Clients must ignore fields
  // that are added later.
  if (jsonSchema.additionalProperties === false) delete jsonSchema.additionalProperties;
  // The format is enough; the pattern has 300 characters.
  if (jsonSchema.format === 'date-time') delete jsonSchema.pattern;
  if (jsonSchema.maximum !== undefined && jsonSchema.maximum >= MAX_INTEGER) delete jsonSchema.maximum;
  if (jsonSchema.minimum === -MAX_INTEGER) delete jsonSchema.minimum;
}
