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

type Presence = { present: ReadonlySet<string>; answered: ReadonlySet<string> };

/**
 * Asks the nodes of Centrifugo which connections they have. Calls that come together share an
 * answer: after a node died, all its clients come back at once.
 */
export class CarrierNodes {
  readonly #settings: CarrierSettings;
  /** By organization. */
  readonly #presence = new Map<string, Promise<Presence>>();
  #alive: Promise<ReadonlySet<string>> | undefined;

  constructor(settings: CarrierSettings) {
    this.#settings = settings;
  }

  /**
   * The connections that no node has any more. Centrifugo reports no end of a connection, so the
   * database may count one that is gone. A node that does not answer keeps its connections, unless
   * another node reports that it has left the cluster.
   */
  async ended(orgId: string, counted: readonly CountedConnection[]): Promise<string[]> {
    const [{ present, answered }, alive] = await Promise.all([this.#presenceOf(orgId), this.#aliveNodes()]);
    const isGone = (node: string) => answered.has(node) || (alive.size > 0 && !alive.has(node));
    return counted.filter(({ id, node }) => !present.has(id) && isGone(node)).map(({ id }) => id);
  }

  /** A shared answer is at most 2 s old. The database names no connection of the last 5 s. */
  #presenceOf(orgId: string): Promise<Presence> {
    const shared = this.#presence.get(orgId);
    if (shared) return shared;
    const asked = this.#askAll('presence', { channel: `org:${orgId}` }, presence)
      .then((answers) => ({
        present: new Set(answers.flatMap(({ answer }) => Object.keys(answer.result.presence))),
        answered: new Set(answers.map(({ name }) => name)),
      }))
      .finally(() => this.#presence.delete(orgId));
    this.#presence.set(orgId, asked);
    return asked;
  }

  #aliveNodes(): Promise<ReadonlySet<string>> {
    this.#alive ??= this.#askAll('info', {}, info)
      .then((answers) => new Set(answers.flatMap(({ answer }) => answer.result.nodes.map((node) => node.name))))
      .finally(() => {
        this.#alive = undefined;
      });
    return this.#alive;
  }

  /** The answers of the nodes that gave one in time. */
  async #askAll<T>(method: string, params: object, shape: z.ZodType<T>): Promise<{ name: string; answer: T }[]> {
    const { nodes } = this.#settings;
    const answers = await Promise.all(
      nodes.map(async ({ name, url }) => ({ name, answer: await this.#ask(`${url}/api/${method}`, params, shape) })),
    );
    return answers.flatMap(({ name, answer }) => (answer === null ? [] : [{ name, answer }]));
  }

  async #ask<T>(url: string, params: object, shape: z.ZodType<T>): Promise<T | null> {
    try {
      const response = await fetch(url, {
        method: 'POST',
        headers: { 'X-API-Key': this.#settings.apiKey, 'Content-Type': 'application/json' },
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
  }
}
