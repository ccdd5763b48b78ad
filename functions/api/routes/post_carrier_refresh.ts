import { z } from 'zod';
import type { Route } from '../app_types.ts';
import { clientId, readQuestion } from '../carrier/questions.ts';

const question = z.object({ client: clientId });

/**
 * Asked by a node of Centrifugo before a connection expires: renews its lease, or ends it. Its
 * client then reconnects, and the ticket that it asks for gives the reason.
 */
export const postCarrierRefresh: Route = {
  method: 'POST',
  path: '/internal/stream/refresh',
  isPublic: true,
  async handle(c) {
    const { node, body } = await readQuestion(c, question);
    const { queries, log } = c.var.services;
    const renewed = await queries.renewCarriedConnection({ requestId: c.var.requestId, connection: body.client, node });
    if (renewed.refused === undefined) return c.json({ result: { expire_at: renewed.expires_at } });
    log.write('info', 'connection.expired', { reason: renewed.refused, node }, c.var.requestId);
    return c.json({ result: { expired: true } });
  },
};
