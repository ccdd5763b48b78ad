import { z } from 'zod';
import { resources } from './fields.ts';

export type JsonSchema = z.core.JSONSchema.BaseSchema;

const schemaRef = (id: string) => `#/components/schemas/${id}`;

/** JSON schemas of what `document` refers to by name, and of what these refer to. */
export function schemasFor(document: object): Record<string, JsonSchema> {
  const all = namedSchemas();
  const wanted = new Set<string>();
  const follow = (part: unknown) => {
    for (const [, id = ''] of JSON.stringify(part).matchAll(/"#\/components\/schemas\/(\w+)"/g)) {
      if (wanted.has(id)) continue;
      wanted.add(id);
      follow(all[id]);
    }
  };
  follow(document);
  return Object.fromEntries(Object.entries(all).filter(([id]) => wanted.has(id)));
}

function namedSchemas(): Record<string, JsonSchema> {
  const { schemas } = z.toJSONSchema(resources, { uri: schemaRef, override: simplifySchema });
  const entries = Object.entries(schemas).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([id, { $schema, $id, ...schema }]) => [id, schema]));
}

/** A reference to a schema that has a name. */
export function schemaRefOf(schema: z.ZodType): { $ref: string } {
  const id = resources.get(schema)?.id;
  if (id === undefined) throw new Error('the schema of an answer has no name');
  return { $ref: schemaRef(id) };
}

export type ParameterSchema = {
  name: string;
  required: boolean;
  description: string | undefined;
  deprecated: boolean;
  schema: JsonSchema;
};

/** The parameters that an object schema takes, as JSON schemas of what may be sent. */
export function parametersOf(taken: z.ZodObject): ParameterSchema[] {
  const { properties = {}, required = [] } = z.toJSONSchema(taken, { io: 'input', override: simplifySchema });
  return Object.entries(properties).map(([name, property]) => {
    // A default that is only written down is not the one that acts: see defaultOf.
    const { description, deprecated, wanted, default: _, ...schema } = property as JsonSchema & { wanted?: boolean };
    const parser = taken.shape[name] as z.ZodType;
    return {
      name,
      // A schema may take absence to refuse it in words of its own.
      required: wanted === true || required.includes(name),
      description,
      deprecated: deprecated === true,
      schema: { ...schema, ...(wanted === true ? {} : defaultOf(parser)) },
    };
  });
}

/** The JSON schema of a body that is sent. */
export function bodySchema(body: z.ZodType): JsonSchema {
  const { $schema, ...schema } = z.toJSONSchema(body, { io: 'input', override: simplifySchema });
  return schema;
}

/** What absence is read as: asked of the parser itself, for a default that is only written down may not be the one that acts. */
function defaultOf(parser: z.ZodType): { default?: unknown } {
  const read = parser.safeParse(undefined);
  return read.success && read.data !== undefined && read.data !== null ? { default: read.data } : {};
}

const MAX_INTEGER = Number.MAX_SAFE_INTEGER;

/** Takes out what would mislead a reader of the document. */
function simplifySchema({ jsonSchema }: { jsonSchema: JsonSchema }): void {
  // Ours are closed, so that the tests find a field which nobody documented; a client must let pass what is added later.
  if (jsonSchema.additionalProperties === false) delete jsonSchema.additionalProperties;
  // Its format says it; the expression has 300 characters.
  if (jsonSchema.format === 'date-time') delete jsonSchema.pattern;
  if (jsonSchema.maximum !== undefined && jsonSchema.maximum >= MAX_INTEGER) delete jsonSchema.maximum;
  if (jsonSchema.minimum === -MAX_INTEGER) delete jsonSchema.minimum;
}
