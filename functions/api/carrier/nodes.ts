import { z } from 'zod';
import { BodyOverLimit, readLimitedText } from '../../_shared/limited_text.ts';
import type { CarrierSettings } from './settings.ts';

/** A connection that the database counts, and the node that serves it. */
export type CountedConnection = { id: string; node: string };

const TIMEOUT_MS = 2_000;
const MAX_ANSWER_BYTES = 1024 * 1024;

const presence = z.object({
  result: z.object({ presence: z.record(z.string(), z.unknown()) }),
});
const info = z.object({ result: z.object({ nodes: z.array(z.object({ name: z.string() })) }) });

/**
 * The connections that no node has any more. Centrifugo reports no end of a connection, so the
 * database may count one that is gone. A node that does not answer keeps its connections, unless
 * another node reports that it has left the cluster.
 */
export async function endedConnections(
  { apiKey, nodes }: CarrierSettings,
  orgId: string,
  counted: readonly CountedConnection[],
): Promise<string[]> {
  const call = async <T>(url: string, method: string, params: object, shape: z.ZodType<T>): Promise<T | null> => {
    try {
      const response = await fetch(`${url}/api/${method}`, {
        method: 'POST',
        headers: { 'X-API-Key': apiKey, 'Content-Type': 'application/json' },
        body: JSON.stringify(params),
        redirect: 'error',
        signal: AbortSignal.timeout(TIMEOUT_MS),
      });
      const text = await readLimitedText(response, { maxBytes: MAX_ANSWER_BYTES });
      return shape.parse(JSON.parse(text));
    } catch (error) {
      if (error instanceof BodyOverLimit || error instanceof Error) return null;
      throw error;
    }
  };
  const answers = await Promise.all(
    nodes.map(async ({ name, url }) => ({
      name,
      clients: await call(url, 'presence', { channel: `org:${orgId}` }, presence),
      cluster: await call(url, 'info', {}, info),
    })),
  );
  const present = new Set(answers.flatMap(({ clients }) => Object.keys(clients?.result.presence ?? {})));
  const alive = new Set(answers.flatMap(({ cluster }) => cluster?.result.nodes.map((node) => node.name) ?? []));
  const answered = new Set(answers.filter(({ clients }) => clients !== null).map(({ name }) => name));
  const isGone = (node: string) => answered.has(node) || (alive.size > 0 && !alive.has(node));
  return counted.filter(({ id, node }) => !present.has(id) && isGone(node)).map(({ id }) => id);
}
