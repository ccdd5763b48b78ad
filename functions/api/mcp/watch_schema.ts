import type { JsonSchema } from '../contract/json_schema.ts';

const ids: JsonSchema = { type: 'array', items: { type: 'string' } };
const frames: JsonSchema = {
  type: 'array',
  items: { type: 'object', properties: { type: { type: 'string' }, id: { type: 'string' } }, required: ['type'] },
};

/**
 * Output of watch_markets: the received frames, or with mode `ticket` the response of POST
 * /v1/stream/token.
 */
export const watchSchema: JsonSchema = {
  type: 'object',
  properties: {
    mode: { type: 'string', const: 'frames' },
    seconds: { type: 'integer' },
    market_ids: ids,
    unheard: {
      type: 'array',
      items: {
        type: 'object',
        properties: { id: { type: 'string' }, code: { type: 'string' } },
        required: ['id', 'code'],
      },
    },
    now: frames,
    frames,
    omitted: { type: 'integer', minimum: 0 },
    lost: { type: 'boolean' },
    ended: { type: ['string', 'null'] as unknown as 'string' },
    ticket: { type: 'string' },
    ws_url: { type: 'string' },
    expires_in: { type: 'integer' },
    allowed: {
      type: 'object',
      properties: { channels: ids, max_conns: { type: 'integer' } },
      required: ['channels', 'max_conns'],
    },
  },
  anyOf: [
    { required: ['mode', 'seconds', 'market_ids', 'unheard', 'now', 'frames', 'omitted', 'lost', 'ended'] },
    { required: ['ticket', 'ws_url', 'expires_in', 'allowed'] },
  ],
};
