import { z } from 'zod';
import { hashKey } from '../../_shared/http/hash_key.ts';
import { isWellFormedTicket } from '../../_shared/ticket.ts';
import type { Route } from '../app_types.ts';
import { clientId, readQuestion } from '../carrier/questions.ts';
import { CARRIER_TIMEOUT_MS, type CarriedConnection } from '../database.ts';

/** What a client sends instead of a ticket is refused like a wrong ticket. */
const question = z.object({ client: clientId, data: z.looseObject({ t: z.unknown() }).nullish().catch(null) });

/** Close codes as in functions/stream/close_codes.ts. Centrifugo takes reasons of 32 bytes. */
const DISCONNECTS = {
  ticket: { code: 4401, reason: 'ticket unknown, used or expired' },
  key: { code: 4503, reason: 'key revoked or expired' },
  plan: { code: 4503, reason: 'plan inactive' },
  cap: { code: 4429, reason: 'connection limit reached' },
} as const;

/**
 * Asked by a node of Centrifugo about a client that connects: spends its ticket, and answers with
 * its channels.
 */
export const postCarrierConnect: Route = {
  method: 'POST',
  path: '/internal/stream/connect',
  isPublic: true,
  async handle(c) {
    const { carrier, node, body } = await readQuestion(c, question);
    const ticket = body.data?.t;
    if (typeof ticket !== 'string' || !isWellFormedTicket(ticket)) return c.json({ disconnect: DISCONNECTS.ticket });
    const call = { requestId: c.var.requestId, ticketHash: hashKey(ticket), connection: body.client, node };
    const { queries } = c.var.services;
    const startedAt = performance.now();
    let opened = await queries.openCarriedConnection({ ...call, absent: null });
    if (opened.refused === 'cap') {
      const absent = await carrier.nodes.ended(opened.org_id, opened.others);
      const leftMs = CARRIER_TIMEOUT_MS - (performance.now() - startedAt);
      opened = await queries.openCarriedConnection({ ...call, absent }, leftMs);
    }
    return c.json(opened.refused === undefined ? accepted(opened) : { disconnect: DISCONNECTS[opened.refused] });
  },
};

function accepted({ org_id, expires_at, channels }: Extract<CarriedConnection, { refused?: undefined }>): object {
  return {
    result: {
      user: org_id,
      expire_at: expires_at,
      subs: Object.fromEntries(channels.map((channel) => [channel, {}])),
    },
  };
}
