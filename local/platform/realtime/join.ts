import { z } from 'zod';

/**
 * "true" and "false" count as booleans. Any other value that is not a boolean, and a missing value,
 * is false.
 */
const flag = z
  .preprocess((given) => (given === 'true' ? true : given === 'false' ? false : given), z.boolean())
  .catch(false);

const configSchema = z.object({
  broadcast: z
    .object({ ack: flag, self: flag, replication_ready: flag })
    .catch({ ack: false, self: false, replication_ready: false }),
  presence: z.object({ enabled: flag }).catch({ enabled: false }),
  private: flag,
});

export type JoinConfig = {
  ack: boolean;
  self: boolean;
  replicationReady: boolean;
  presence: boolean;
  private: boolean;
  /** 'wrong': the parameters are invalid. */
  replay: { since: number; limit: number } | 'wrong' | undefined;
};

const replaySchema = z.object({ since: z.int().default(0), limit: z.int().default(25) });

/**
 * The configuration of a join. Invalid parts count as missing, as on the platform; only an invalid
 * replay is rejected later.
 */
export function parseConfig(payload: Record<string, unknown>): JoinConfig {
  const given = typeof payload.config === 'object' && !Array.isArray(payload.config) ? (payload.config ?? {}) : {};
  const { broadcast, presence, private: isPrivate } = configSchema.parse(given);
  return {
    ack: broadcast.ack,
    self: broadcast.self,
    replicationReady: broadcast.replication_ready,
    presence: presence.enabled,
    private: isPrivate,
    replay: replayOf(given),
  };
}

function replayOf(given: object): JoinConfig['replay'] {
  const asked = z.object({ broadcast: z.object({ replay: z.unknown() }) }).safeParse(given);
  const wanted = asked.success ? asked.data.broadcast.replay : undefined;
  if (wanted === undefined || wanted === null) return undefined;
  const read = replaySchema.safeParse(wanted);
  return read.success ? read.data : 'wrong';
}

/**
 * The user's token in a join or an access_token event; undefined when the connection's token
 * applies.
 */
export function tokenOf(payload: Record<string, unknown>): string | undefined {
  const given = payload.user_token ?? payload.access_token;
  return typeof given === 'string' && !given.startsWith('sb_') ? given : undefined;
}
