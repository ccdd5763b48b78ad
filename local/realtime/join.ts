import { z } from 'zod';

/** "true" and "false" are taken for what they mean. */
const flag = z.preprocess((given) => (given === 'true' ? true : given === 'false' ? false : given), z.boolean());
const off = flag.catch(false);

const config = z.object({
  broadcast: z
    .object({ ack: off.default(false), self: off.default(false), replication_ready: off.default(false) })
    .catch({ ack: false, self: false, replication_ready: false })
    .default({ ack: false, self: false, replication_ready: false }),
  presence: z
    .object({ enabled: off.default(false) })
    .catch({ enabled: false })
    .default({ enabled: false }),
  private: off.default(false),
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

const replayShape = z.object({ since: z.number().default(0), limit: z.number().int().default(25) });

/** What a join asks for. What cannot be understood counts as not asked for, as hosted; a wrong replay alone is refused later. */
export function readConfig(payload: Record<string, unknown>): JoinConfig {
  const given = typeof payload.config === 'object' && payload.config !== null ? payload.config : {};
  const read = config.safeParse(given);
  const { broadcast, presence, private: isPrivate } = read.success ? read.data : config.parse({});
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
