import { z } from 'zod';

/** "true" and "false" are taken for what they mean; anything else that is no boolean, and nothing at all, is false. */
const flag = z
  .preprocess((given) => (given === 'true' ? true : given === 'false' ? false : given), z.boolean())
  .catch(false);

const config = z.object({
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
  /** 'wrong': asked for in a way that cannot be understood. */
  replay: { since: number; limit: number } | 'wrong' | undefined;
};

const replayShape = z.object({ since: z.int().default(0), limit: z.int().default(25) });

/** What a join asks for. What cannot be understood counts as not asked for, as hosted; a wrong replay alone is refused later. */
export function parseConfig(payload: Record<string, unknown>): JoinConfig {
  const given = typeof payload.config === 'object' && !Array.isArray(payload.config) ? (payload.config ?? {}) : {};
  const { broadcast, presence, private: isPrivate } = config.parse(given);
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
  const read = replayShape.safeParse(wanted);
  return read.success ? read.data : 'wrong';
}

/** The user's token of a join or an access_token event; undefined where the connection's own counts. */
export function tokenOf(payload: Record<string, unknown>): string | undefined {
  const given = payload.user_token ?? payload.access_token;
  return typeof given === 'string' && !given.startsWith('sb_') ? given : undefined;
}
