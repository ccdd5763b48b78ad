import type { Context } from 'hono';
import { z } from 'zod';
import { sameSecret } from '../../_shared/http/cron_key.ts';
import type { AppEnv, Carrier } from '../app_types.ts';
import { parseJsonBody } from '../http/body.ts';
import { ApiError } from '../http/errors.ts';
import { NODE_NAME_PATTERN } from './settings.ts';

/** A question of a node, after its secret was checked. */
export type Question<Body> = { carrier: Carrier; node: string; body: Body };

/**
 * Reads a question of a node of Centrifugo. For any other caller there is no such path. @throws
 * ApiError
 */
export async function readQuestion<Body>(c: Context<AppEnv>, shape: z.ZodType<Body>): Promise<Question<Body>> {
  const { carrier } = c.var.services;
  const secret = c.req.header('X-Stream-Proxy');
  const node = c.req.header('X-Stream-Node') ?? '';
  if (!carrier || !secret || !(await sameSecret(secret, carrier.proxySecret)) || !NODE_NAME_PATTERN.test(node))
    throw new ApiError('route.not_found');
  // A node must ask each time.
  c.header('Cache-Control', 'no-store');
  const parsed = shape.safeParse(await parseJsonBody(c.req.raw));
  if (!parsed.success) throw new ApiError('body.not_json');
  return { carrier, node, body: parsed.data };
}

/** Centrifugo's name of a client. */
export const clientId = z.uuid();
