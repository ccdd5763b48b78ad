import { ConcurrencyLimit } from '../../http/concurrency_limit.ts';
import { ApiError } from '../../http/errors.ts';
import { type Issue, issue, summarizeIssues } from '../../http/validation.ts';
import { type Arguments, coerceArguments, type InputSchema, typeIssues } from '../arguments.ts';
import { parseMarketIds } from '../market_ids.ts';
import { renderTicket, renderWatch } from '../render/watch.ts';
import type { McpRequest } from '../request.ts';
import type { Tool, ToolCall, ToolResult } from '../tool.ts';
import { watchMarketsFor } from '../watch.ts';
import { watchSchema } from '../watch_schema.ts';

const MAX_MARKETS = 20;
const DEFAULT_FRAMES = 50;

const inputSchema: InputSchema = {
  type: 'object',
  properties: {
    market_ids: {
      type: 'array',
      items: { type: 'string', maxLength: 60 },
      minItems: 1,
      maxItems: MAX_MARKETS,
      description: 'The markets to watch, by the ids from other tools. Required unless `mode` is `ticket`.',
    },
    seconds: { type: 'integer', minimum: 1, maximum: 30, default: 10, description: 'Duration of the watch.' },
    limit: {
      type: 'integer',
      minimum: 1,
      maximum: 500,
      default: DEFAULT_FRAMES,
      description: 'Maximum number of frames; the newest are returned.',
    },
    mode: {
      type: 'string',
      enum: ['frames', 'ticket'],
      default: 'frames',
      description: '`ticket`: returns a stream ticket for a program that keeps watching.',
    },
  },
  additionalProperties: false,
  examples: [{ market_ids: ['mkt_00000000-0000-4000-8000-000000000001'], seconds: 10 }, { mode: 'ticket' }],
};

// Each call holds a request open and queries the database twice a second. Over the limit of the
// isolate a call gets 503 with retry_after. One organization runs at most 8 calls, since each holds
// its place for up to 30 s.
const watchLimit = new ConcurrencyLimit(40, {
  max: 8,
  error: () => new ApiError('watch.limit', { retry_after: 1 }),
});

export const watchMarkets: Tool = {
  name: 'watch_markets',
  toolset: 'live',
  title: 'Watch markets live',
  description:
    'Live prices of up to 20 markets without delay: the current asks, then every price, status and opportunity frame for some seconds. Use it when a delay of two minutes is too long, such as to check whether an arbitrage is still open. Your tier decides which markets you can watch (Free: the sample). With mode `ticket`: a ticket for the WebSocket stream instead.',
  annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: false, openWorldHint: true },
  inputSchema,
  outputSchema: watchSchema,
  async run(written, call): Promise<ToolResult> {
    const given = coerceArguments(inputSchema, written);
    const { mcpRequest } = call;
    const { pairs, detail } = parseArguments(given);
    if (detail.length > 0) {
      await mcpRequest.admit();
      return { error: { ...summarizeIssues(detail), detail, request_id: mcpRequest.requestId } };
    }
    if (given.mode === 'ticket') return await createTicket(mcpRequest);
    return await watchLimit.run(await mcpRequest.party(), () => watch(pairs, given, call));
  },
};

async function createTicket(mcpRequest: McpRequest): Promise<ToolResult> {
  const result = await mcpRequest.callRoute('POST', '/v1/stream/token');
  return result.error ? { error: result.error } : { structuredContent: result.value, text: renderTicket(result.value) };
}

async function watch(pairs: readonly string[], given: Arguments, call: ToolCall): Promise<ToolResult> {
  const seconds = typeof given.seconds === 'number' ? given.seconds : 10;
  const maxFrames = typeof given.limit === 'number' ? given.limit : DEFAULT_FRAMES;
  const result = await watchMarketsFor(pairs, seconds, maxFrames, call);
  return { structuredContent: result, text: renderWatch(result) };
}

function parseArguments(given: Arguments): { pairs: string[]; detail: Issue[] } {
  const detail = typeIssues(inputSchema, given);
  if (detail.length > 0 || given.mode === 'ticket') return { pairs: [], detail };
  const mode = given.mode ?? 'frames';
  if (mode !== 'frames') {
    detail.push(issue('enum', ['arguments', 'mode'], "Input should be 'frames' or 'ticket'", mode));
  }
  const ids = (given.market_ids ?? []) as string[];
  if (ids.length === 0) detail.push(issue('missing', ['arguments', 'market_ids'], 'Field required', null));
  const parsed = parseMarketIds(ids, 'market_ids');
  return { pairs: parsed.pairs, detail: [...detail, ...parsed.detail] };
}
