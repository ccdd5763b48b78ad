import { Gate } from '../../http/concurrency_limit.ts';
import { marketUuid } from '../../http/parameters.ts';
import { faultSummary, type Issue, issue } from '../../http/validation.ts';
import { type Arguments, type InputSchema, kindIssues, meant } from '../arguments.ts';
import { tellTicket, tellWatched } from '../render/watch.ts';
import type { Exchange } from '../request.ts';
import type { Call, Outcome, Tool } from '../tool.ts';
import { listen } from '../watch.ts';
import { watchedSchema } from '../watched_schema.ts';

const mostMarkets = 20;
const fewFrames = 50;

const inputSchema: InputSchema = {
  type: 'object',
  properties: {
    market_ids: {
      type: 'array',
      items: { type: 'string', maxLength: 60 },
      minItems: 1,
      maxItems: mostMarkets,
      description: 'Whom to watch: ids as other tools gave them. Needed unless `mode` is `ticket`.',
    },
    seconds: { type: 'integer', minimum: 1, maximum: 30, default: 10, description: 'How long to listen.' },
    limit: {
      type: 'integer',
      minimum: 1,
      maximum: 500,
      default: fewFrames,
      description: 'The most frames to return: the newest are kept.',
    },
    mode: {
      type: 'string',
      enum: ['frames', 'ticket'],
      default: 'frames',
      description: '`ticket`: a ticket to connect to the stream with, for a program that goes on listening.',
    },
  },
  additionalProperties: false,
  examples: [{ market_ids: ['mkt_00000000-0000-4000-8000-000000000001'], seconds: 10 }, { mode: 'ticket' }],
};

// Each holds a request open and asks the database twice a second: so many an isolate, and the next is told to come again.
const watching = new Gate(40);

export const watchMarkets: Tool = {
  name: 'watch_markets',
  title: 'Watch markets live',
  description:
    'Live prices of up to 20 markets, undelayed: the asks as they stand now, then every price, status and opportunity frame for some seconds. Use it when two minutes’ delay is too much, such as to see whether an arbitrage still stands. What you hear is bound to your tier (Free: the sample). With mode `ticket`: a ticket for the WebSocket stream instead.',
  annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: false, openWorldHint: true },
  inputSchema,
  outputSchema: watchedSchema,
  async run(written, call): Promise<Outcome> {
    const given = meant(inputSchema, written);
    const { exchange } = call;
    const { pairs, detail } = asked(given);
    if (detail.length > 0) {
      await exchange.admit();
      return { fault: { ...faultSummary(detail), detail, request_id: exchange.requestId } };
    }
    if (given.mode === 'ticket') return await ticket(exchange);
    return await watching.through(() => watch(pairs, given, call));
  },
};

async function ticket(exchange: Exchange): Promise<Outcome> {
  const reply = await exchange.ask('POST', '/v1/stream/token');
  return reply.fault ? { fault: reply.fault } : { answer: reply.value, text: tellTicket(reply.value) };
}

async function watch(pairs: readonly string[], given: Arguments, call: Call): Promise<Outcome> {
  const seconds = typeof given.seconds === 'number' ? given.seconds : 10;
  const most = typeof given.limit === 'number' ? given.limit : fewFrames;
  const answer = await listen(pairs, seconds, most, call);
  return { answer, text: tellWatched(answer) };
}

function asked(given: Arguments): { pairs: string[]; detail: Issue[] } {
  const detail = kindIssues(inputSchema, given);
  if (detail.length > 0 || given.mode === 'ticket') return { pairs: [], detail };
  const mode = given.mode ?? 'frames';
  if (mode !== 'frames') {
    detail.push(issue('enum', ['arguments', 'mode'], "Input should be 'frames' or 'ticket'", mode));
  }
  const ids = (given.market_ids ?? []) as string[];
  if (ids.length === 0) detail.push(issue('missing', ['arguments', 'market_ids'], 'Field required', null));
  const pairs = new Set<string>();
  for (const [place, id] of ids.entries()) {
    const uuid = marketUuid(id);
    if (uuid !== undefined) pairs.add(uuid);
    else {
      const msg = 'Input should be a market id: mkt_ and a UUID';
      detail.push(issue('uuid_parsing', ['arguments', 'market_ids', place], msg, id));
    }
  }
  return { pairs: [...pairs], detail };
}
