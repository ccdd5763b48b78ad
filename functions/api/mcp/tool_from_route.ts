import { z } from 'zod';
import type { Route } from '../app_types.ts';
import { bodySchema, type JsonSchema, parametersOf } from '../contract/json_schema.ts';
import { PARAMETER_DOCS } from '../contract/parameter_docs.ts';
import { type ResponseName, responseSchemas } from '../contract/schemas.ts';
import { marketId } from '../http/parameters.ts';
import { summarizeIssues } from '../http/validation.ts';
import { ARGUMENT_DOCS } from './argument_docs.ts';
import { type Arguments, buildQueryString, coerceArguments, type InputSchema, typeIssues } from './arguments.ts';
import { withoutTextBlocks, withTextBlocks } from './text_blocks.ts';
import type { Tool, ToolResult } from './tool.ts';

type RouteTool = Pick<Tool, 'name' | 'toolset' | 'title' | 'description' | 'annotations'> & {
  route: Route;
  /** Parameters of the route that the tool does not take. */
  without?: readonly string[];
  /** Arguments where the caller sends none: smaller responses than the defaults of REST. */
  defaults?: Arguments;
  /** Narrower ranges than those of the route. */
  bounds?: Record<string, JsonSchema>;
  required?: readonly string[];
  /** The route returns markets, whose text needs more blocks than the caller asks for. */
  hasMarkets?: boolean;
  examples: object[];
  response: ResponseName;
  /**
   * Renders the text of a response. `args`: the arguments in effect, with the defaults of the tool.
   */
  render(body: Record<string, unknown>, args: Arguments): string;
};

/**
 * Builds a tool from a route. Its arguments are the parameters of the route, and its structured
 * content is the response of the route.
 */
export function toolFromRoute(tool: RouteTool): Tool {
  const { route, defaults = {} } = tool;
  const inputSchema = inputSchemaOf(tool);
  const pathNames = [...route.path.matchAll(/:(\w+)/g)].map(([, name = '']) => name);
  return {
    name: tool.name,
    toolset: tool.toolset,
    title: tool.title,
    description: tool.description,
    annotations: tool.annotations,
    inputSchema,
    outputSchema: outputSchemaOf(responseSchemas[tool.response]),
    async run(received, { mcpRequest }): Promise<ToolResult> {
      const given = coerceArguments(inputSchema, received);
      const detail = typeIssues(inputSchema, given);
      if (detail.length > 0) {
        await mcpRequest.admit();
        return { error: { ...summarizeIssues(detail), detail, request_id: mcpRequest.requestId } };
      }
      const args = { ...defaults, ...withoutNulls(given) };
      const sent = tool.hasMarkets ? withTextBlocks(args) : args;
      const rest = Object.fromEntries(Object.entries(sent).filter(([name]) => !pathNames.includes(name)));
      const path = route.path.replaceAll(/:(\w+)/g, (_, name) => encodeURIComponent(String(args[name])));
      const result = route.body
        ? await mcpRequest.callRoute(route.method, path, rest)
        : await mcpRequest.callRoute(route.method, path + buildQueryString(rest));
      if (result.error) return { error: result.error };
      const structuredContent = tool.hasMarkets ? withoutTextBlocks(result.value, args) : result.value;
      return { structuredContent, text: tool.render(result.value, args) };
    },
  };
}

const withoutNulls = (given: Arguments): Arguments =>
  Object.fromEntries(Object.entries(given).filter(([, value]) => value !== null));

function inputSchemaOf(tool: RouteTool): InputSchema {
  const { route, without = [], defaults = {}, bounds = {}, required = [] } = tool;
  const properties: Record<string, JsonSchema> = {};
  for (const [, name = ''] of route.path.matchAll(/:(\w+)/g)) {
    properties[name] = { ...z.toJSONSchema(marketId), ...describeArgument(name) };
    delete properties[name]?.$schema;
  }
  for (const { name, schema, description, deprecated } of route.query ? parametersOf(route.query) : []) {
    if (deprecated || without.includes(name)) continue;
    const { default: _, ...type } = schema;
    const fallback = defaults[name] ?? schema.default;
    properties[name] = {
      ...type,
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
    examples: tool.examples,
  };
}

/**
 * Fields of a body without the type null: REST accepts null for an absent field, and a model need
 * not know it.
 */
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

/**
 * JSON schema of a response, without descriptions: they would cost tokens in every session. The
 * REST reference has them.
 */
export function outputSchemaOf(response: z.ZodType): JsonSchema {
  const { $schema, ...schema } = z.toJSONSchema(response, { override: ({ jsonSchema }) => stripSchema(jsonSchema) });
  return schema;
}

function stripSchema(schema: JsonSchema): void {
  delete schema.description;
  // The patterns of ids and the ranges of numbers: 1,300 tokens in all.
  if (schema.type === 'string') delete schema.pattern;
  // Our schemas are strict for the tests. Clients must ignore fields that are added later.
  if (schema.additionalProperties === false) delete schema.additionalProperties;
  if (schema.format === 'date-time' || schema.format === 'uri') delete schema.format;
  if (schema.type === 'number' || schema.type === 'integer') {
    for (const range of ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum'] as const) delete schema[range];
  }
}
