import { z } from 'zod';
import type { Route } from '../app_types.ts';
import { bodySchema, type JsonSchema, parametersOf } from '../contract/json_schema.ts';
import { PARAMETER_DOCS } from '../contract/parameter_docs.ts';
import { type ResponseName, responseSchemas } from '../contract/schemas.ts';
import { marketId } from '../http/parameters.ts';
import { summarizeIssues } from '../http/validation.ts';
import { ARGUMENT_DOCS } from './argument_docs.ts';
import { type Arguments, buildQueryString, coerceArguments, type InputSchema, typeIssues } from './arguments.ts';
import type { Tool, ToolResult } from './tool.ts';

type RouteTool = Pick<Tool, 'name' | 'title' | 'description' | 'annotations'> & {
  route: Route;
  /** Parameters of the route that the tool does not take. */
  without?: readonly string[];
  /** What is asked for where the caller says nothing: less than REST gives. */
  defaults?: Arguments;
  /** Other bounds than the route's, narrower. */
  bounds?: Record<string, JsonSchema>;
  required?: readonly string[];
  examples: object[];
  response: ResponseName;
  /** The text of an answer. `asked`: the arguments that are in effect, defaults of the tool included. */
  render(answer: Record<string, unknown>, asked: Arguments): string;
};

/** The tool that is a face of a route: its arguments are the route's parameters, its structured content is the route's answer. */
export function toolFromRoute(face: RouteTool): Tool {
  const { route, defaults = {} } = face;
  const inputSchema = inputSchemaOf(face);
  const inPath = [...route.path.matchAll(/:(\w+)/g)].map(([, name = '']) => name);
  return {
    name: face.name,
    title: face.title,
    description: face.description,
    annotations: face.annotations,
    inputSchema,
    outputSchema: outputSchemaOf(responseSchemas[face.response]),
    async run(written, { mcpRequest }): Promise<ToolResult> {
      const given = coerceArguments(inputSchema, written);
      const detail = typeIssues(inputSchema, given);
      if (detail.length > 0) {
        await mcpRequest.admit();
        return { fault: { ...summarizeIssues(detail), detail, request_id: mcpRequest.requestId } };
      }
      const asked = { ...defaults, ...withoutNulls(given) };
      const rest = Object.fromEntries(Object.entries(asked).filter(([name]) => !inPath.includes(name)));
      const path = route.path.replaceAll(/:(\w+)/g, (_, name) => encodeURIComponent(String(asked[name])));
      const reply = route.body
        ? await mcpRequest.callRoute(route.method, path, rest)
        : await mcpRequest.callRoute(route.method, path + buildQueryString(rest));
      return reply.fault ? { fault: reply.fault } : { answer: reply.value, text: face.render(reply.value, asked) };
    },
  };
}

const withoutNulls = (given: Arguments): Arguments =>
  Object.fromEntries(Object.entries(given).filter(([, value]) => value !== null));

function inputSchemaOf(face: RouteTool): InputSchema {
  const { route, without = [], defaults = {}, bounds = {}, required = [] } = face;
  const properties: Record<string, JsonSchema> = {};
  for (const [, name = ''] of route.path.matchAll(/:(\w+)/g)) {
    properties[name] = { ...z.toJSONSchema(marketId), ...describeArgument(name) };
    delete properties[name]?.$schema;
  }
  for (const { name, schema, description, deprecated } of route.query ? parametersOf(route.query) : []) {
    if (deprecated || without.includes(name)) continue;
    const { default: _, ...kind } = schema;
    const fallback = defaults[name] ?? schema.default;
    properties[name] = {
      ...kind,
      ...bounds[name],
      ...(fallback === undefined ? {} : { default: fallback as string }),
      ...describeArgument(name, description),
    };
  }
  if (route.body) Object.assign(properties, bodyProperties(route.body));
  return {
    type: 'object',
    properties,
    ...(required.length > 0 ? { required: [...required] } : {}),
    additionalProperties: false,
    examples: face.examples,
  };
}

/** Fields of a body without the null that REST lets pass as absence: a model need not know of it. */
function bodyProperties(body: z.ZodType): Record<string, JsonSchema> {
  const { properties = {} } = bodySchema(body);
  return Object.fromEntries(
    Object.entries(properties as Record<string, JsonSchema>).map(([name, property]) => {
      const { anyOf, ...rest } = property;
      return [name, { ...(anyOf?.[0] as JsonSchema | undefined), ...rest }];
    }),
  );
}

function describeArgument(name: string, own?: string): { description: string } {
  return { description: ARGUMENT_DOCS[name] ?? own ?? PARAMETER_DOCS[name] ?? '' };
}

/** The JSON schema of an answer. Without words: what fields mean is in REST's reference, and tokens of every session. */
export function outputSchemaOf(answer: z.ZodType): JsonSchema {
  const { $schema, ...schema } = z.toJSONSchema(answer, { override: ({ jsonSchema }) => stripSchema(jsonSchema) });
  return schema;
}

function stripSchema(schema: JsonSchema): void {
  delete schema.description;
  // Closed in the tests; a client must let pass what is added later.
  if (schema.additionalProperties === false) delete schema.additionalProperties;
  if (schema.format === 'date-time' || schema.format === 'uri') {
    delete schema.pattern;
    delete schema.format;
  }
  if (typeof schema.maximum === 'number' && schema.maximum >= Number.MAX_SAFE_INTEGER) delete schema.maximum;
}
