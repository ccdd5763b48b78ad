import { type Platform, platformOf } from '../_shared/platform.ts';
import { countOf, type Environment, portOf, positiveOf } from '../_shared/settings.ts';
import { streamSignerOf } from '../_shared/signing.ts';
import { type JoinToken, joinToken } from './join_token.ts';

/** A variable that holds the name of a header; null where it is not set. @throws Error */
function headerNameOf(env: Environment, name: string): string | null {
  const text = env(name);
  if (!text) return null;
  if (!/^[A-Za-z0-9-]+$/.test(text)) throw new Error(`${name} is ${text}; it must be the name of a header.`);
  return text;
}

/** The environment of the stream function. */
export type Settings = {
  databaseUrl: string;
  /** Maximum number of connections to the database. */
  databaseConnections: number;
  /**
   * Realtime, and the token with which this function joins its private topics. Null: everything is
   * read from the log.
   */
  realtime: (Platform & { token: JoinToken }) | null;
  /** Maximum lifetime of one worker, seconds; null without a limit. */
  wallClockSeconds: number | null;
  /** CPU that one worker may use, seconds; null without a limit. */
  cpuSeconds: number | null;
  /** Interval of the checks of plans and keys, seconds. They also renew the leases of 40 s. */
  recheckSeconds: number;
  maxConnections: number;
  /** Maximum number of sockets of one address without an accepted ticket. */
  maxPerAddress: number;
  /** The header in which the proxy in front names the client's address; null without a proxy. */
  addressHeader: string | null;
  /** Port of the container, or the path of its unix socket. */
  listenAt: number | string;
};

/** @throws Error that names the variable and what it should be */
export function settingsOf(env: Environment): Settings {
  const databaseUrl = env('DB_URL_STREAM');
  if (!databaseUrl) throw new Error('DB_URL_STREAM is missing: the postgres URL of the role parallax_stream.');
  const platform = platformOf(env);
  const signer = streamSignerOf(env);
  const recheckSeconds = positiveOf(env, 'STREAM_RECHECK_SECONDS') ?? 15;
  if (recheckSeconds > 20) throw new Error('STREAM_RECHECK_SECONDS must be at most 20: a lease is 40 s long.');
  return {
    databaseUrl,
    databaseConnections: countOf(env, 'DB_CONNECTIONS_STREAM') ?? 4,
    realtime: platform && signer && { ...platform, token: joinToken(signer, Date.now) },
    wallClockSeconds: positiveOf(env, 'STREAM_WALL_CLOCK_SECONDS'),
    cpuSeconds: positiveOf(env, 'STREAM_CPU_SECONDS'),
    recheckSeconds,
    maxConnections: positiveOf(env, 'STREAM_MOST_CONNECTIONS') ?? 5_000,
    maxPerAddress: countOf(env, 'STREAM_MOST_PER_ADDRESS') ?? 20,
    addressHeader: headerNameOf(env, 'STREAM_ADDRESS_HEADER'),
    listenAt: env('STREAM_SOCKET') || (portOf('PORT', positiveOf(env, 'PORT')) ?? 8_000),
  };
}
