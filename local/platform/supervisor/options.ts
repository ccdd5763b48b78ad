import { X509Certificate } from 'node:crypto';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { type Broker, brokers } from '../carrier/config.ts';
import { platformLimits } from '../limits/limits.ts';
import { errorText, UserError } from '../user_error.ts';

/** Who signs users in: the stand-in, or Supabase Auth itself. */
export const authKinds = ['lite', 'gotrue'] as const;
export type AuthKind = (typeof authKinds)[number];

/** What carries the stream: the function `stream`, or a cluster of Centrifugo. */
export type Carrier = { kind: 'embedded' } | { kind: 'centrifugo'; nodes: number; broker: Broker };

/** The options of `npm start`. */
export type StartOptions = {
  port: number;
  folder: string;
  source: 'simulated' | 'live' | 'replay';
  /** Undefined: the value of the data folder, or else the default. */
  seed: number | undefined;
  games: number | undefined;
  speed: number;
  replay: string | undefined;
  restDelaySeconds: number;
  /**
   * Webhook receivers that may be on this machine, as host:port, and the PEM of the CA of their
   * certificates.
   */
  webhookAllow: readonly string[];
  webhookCa: string | undefined;
  /**
   * Wall clock of functions under the platform's limits, seconds; undefined for one worker per
   * function without limits.
   */
  hostedWallSeconds: number | undefined;
  /** Whether the functions accept a debugger. */
  inspect: boolean;
  auth: AuthKind;
  carrier: Carrier;
};

export const usage = `npm start -- [options]

  --port N      the port of the gateway (default 54321); PostgreSQL uses N+1 if it is free
  --data DIR    the data folder (default .data); data survives restarts
  --seed N      seed of the simulated universe (default 1)
  --games N     number of simulated games (default: a few hundred)
  --speed N     market time runs N times as fast as real time, simulated or replayed (default 1)
  --live        read the real venues
  --replay DIR  play a recording: listings.venue_a.json, listings.venue_b.json, books.jsonl
  --webhook-allow HOST:PORT
                a webhook receiver that may be on this machine (may be given more than once)
  --webhook-ca FILE
                PEM of the CA that signed the certificates of such receivers
  --hosted-limits
                each call of a function runs in its own worker, which is killed at the platform's limits: 2 s of CPU,
                256 MB, 150 s of wall clock; the page Status and /limits.json report their use (Linux)
  --wall-clock S
                with --hosted-limits, another wall clock, such as 400 s of a paid plan
  --auth KIND   lite (default): sign-in by @supabase/lite; gotrue: by Supabase Auth itself, the program
                that SUPABASE_AUTH_BINARY names, with ES256 sessions; its mails are files in DIR/mails
  --carrier KIND
                embedded (default): the function stream carries the stream; centrifugo: a cluster of Centrifugo
                does, which CENTRIFUGO_BINARY names or Go builds once
  --nodes N     with --carrier centrifugo, processes of the cluster, 1 to 8 (default 2)
  --broker KIND with --carrier centrifugo, where they keep frames: postgres (default) or redis, the program
                redis-server or the one that REDIS_SERVER names
  --inspect     functions and the gateway accept a debugger (chrome://inspect); their ports are printed
  --help        this text

Environment: REST_DELAY_SECONDS (default 120): delay of REST behind the markets.`;

const known = {
  port: { type: 'string' },
  data: { type: 'string' },
  seed: { type: 'string' },
  games: { type: 'string' },
  speed: { type: 'string' },
  live: { type: 'boolean' },
  replay: { type: 'string' },
  'webhook-allow': { type: 'string', multiple: true },
  'webhook-ca': { type: 'string' },
  'hosted-limits': { type: 'boolean' },
  'wall-clock': { type: 'string' },
  auth: { type: 'string' },
  carrier: { type: 'string' },
  nodes: { type: 'string' },
  broker: { type: 'string' },
  inspect: { type: 'boolean' },
  help: { type: 'boolean' },
} as const;

/** Parses the command line; 'help' for --help. Throws UserError on invalid options. */
export function readOptions(
  args: string[],
  env: Readonly<Record<string, string | undefined>> = process.env,
): StartOptions | 'help' {
  const values = parseArguments(args);
  if (values.help) return 'help';
  if (values.live && values.replay !== undefined)
    throw new UserError('--live and --replay exclude each other. Choose one.');
  const source = values.live ? 'live' : values.replay !== undefined ? 'replay' : 'simulated';
  for (const name of ['seed', 'games'] as const) {
    if (values[name] !== undefined && source !== 'simulated') {
      throw new UserError(`--${name} applies to the simulated universe only. Omit it with --${source}.`);
    }
  }
  if (values.speed !== undefined && source === 'live') {
    throw new UserError('--speed does not apply to real venues. Omit it with --live.');
  }
  const replay = values.replay === undefined ? undefined : resolve(values.replay);
  if (replay && !(existsSync(replay) && statSync(replay).isDirectory())) {
    throw new UserError(`${replay} is not a folder. --replay takes the folder of a recording.`);
  }
  return {
    port: parseNumber('--port', values.port, 54_321, { min: 1, max: 65_535, whole: true }),
    folder: resolve(values.data ?? '.data'),
    source,
    seed:
      values.seed === undefined
        ? undefined
        : parseNumber('--seed', values.seed, 1, { min: 0, max: 2 ** 31 - 1, whole: true }),
    games:
      values.games === undefined
        ? undefined
        : parseNumber('--games', values.games, 1, { min: 10, max: 100_000, whole: true }),
    speed: parseNumber('--speed', values.speed, 1, { min: 0.01, max: 1_000, whole: false }),
    replay,
    restDelaySeconds: parseNumber('REST_DELAY_SECONDS', env.REST_DELAY_SECONDS, 120, {
      min: 0,
      max: 86_400,
      whole: true,
    }),
    ...parseReceivers(values['webhook-allow'] ?? [], values['webhook-ca']),
    hostedWallSeconds: parseWallClock(values['hosted-limits'] ?? false, values['wall-clock']),
    auth: parseAuth(values.auth ?? 'lite'),
    carrier: parseCarrier(values, values['hosted-limits'] ?? false),
    inspect: checkInspect(values.inspect ?? false, values['hosted-limits'] ?? false),
  };
}

function parseAuth(given: string): AuthKind {
  const kind = authKinds.find((known) => known === given);
  if (!kind) throw new UserError(`--auth takes ${authKinds.join(' or ')}, not "${given}".`);
  return kind;
}

function parseCarrier(
  { carrier = 'embedded', nodes, broker }: { [Name in 'carrier' | 'nodes' | 'broker']?: string | undefined },
  hosted: boolean,
): Carrier {
  if (carrier === 'embedded') {
    for (const [name, value] of Object.entries({ nodes, broker })) {
      if (value !== undefined)
        throw new UserError(`--${name} applies to --carrier centrifugo only. Omit it, or add --carrier centrifugo.`);
    }
    return { kind: 'embedded' };
  }
  if (carrier !== 'centrifugo') throw new UserError(`--carrier takes embedded or centrifugo, not "${carrier}".`);
  if (hosted) {
    throw new UserError(
      '--carrier centrifugo and --hosted-limits exclude each other, because the platform runs functions and no Centrifugo.',
    );
  }
  const kind = brokers.find((known) => known === (broker ?? 'postgres'));
  if (!kind) throw new UserError(`--broker takes ${brokers.join(' or ')}, not "${broker}".`);
  return { kind: 'centrifugo', nodes: parseNumber('--nodes', nodes, 2, { min: 1, max: 8, whole: true }), broker: kind };
}

function checkInspect(inspect: boolean, hosted: boolean): boolean {
  if (inspect && hosted)
    throw new UserError(
      '--inspect and --hosted-limits exclude each other, because a limited worker lives for one call.',
    );
  return inspect;
}

/** Seconds with --hosted-limits, else undefined. */
function parseWallClock(hosted: boolean, given: string | undefined): number | undefined {
  if (!hosted && given !== undefined)
    throw new UserError('--wall-clock applies to --hosted-limits only. Omit it, or add --hosted-limits.');
  if (hosted && process.platform !== 'linux')
    throw new UserError('--hosted-limits reads the use of workers from /proc, which exists on Linux only.');
  const { wallSeconds } = platformLimits;
  return hosted ? parseNumber('--wall-clock', given, wallSeconds, { min: 20, max: 400, whole: true }) : undefined;
}

/**
 * Hosts that the user of this machine allows in spite of the address rules. This is the only
 * exception from them.
 */
function parseReceivers(
  allow: readonly string[],
  ca: string | undefined,
): Pick<StartOptions, 'webhookAllow' | 'webhookCa'> {
  const webhookAllow = allow.map((given) => {
    const [, literal, name, port] = /^(?:\[([\da-f:.]+)\]|([a-z0-9._-]+)):(\d+)$/i.exec(given) ?? [];
    const host = literal ?? name;
    if (host === undefined)
      throw new UserError(`--webhook-allow takes HOST:PORT such as localhost:8443, not "${given}".`);
    return `${host.toLowerCase()}:${parseNumber('--webhook-allow', port, 0, { min: 1, max: 65_535, whole: true })}`;
  });
  if (ca === undefined) return { webhookAllow, webhookCa: undefined };
  try {
    const webhookCa = readFileSync(ca, 'utf8');
    new X509Certificate(webhookCa);
    return { webhookAllow, webhookCa };
  } catch (error) {
    throw new UserError(`--webhook-ca ${ca} is not a certificate in PEM format: ${errorText(error)}.`);
  }
}

/** The notice for users and operators; empty with real venues. */
export function noticeOf({ source, replay }: StartOptions): string {
  if (source === 'simulated') return 'venues are SIMULATED: no price is real. For real venues: npm start -- --live';
  if (source === 'replay')
    return `venues are SIMULATED: a recording is replayed (${replay}), with the prices of its own time.`;
  return '';
}

function parseArguments(args: string[]) {
  try {
    return parseArgs({ args, options: known, strict: true, allowPositionals: false }).values;
  } catch (error) {
    const all = Object.keys(known).map((name) => `--${name}`);
    throw new UserError(`${errorText(error).split('. ')[0]}. Options: ${all.join(' ')} (npm start -- --help).`);
  }
}

/** A number of the command line within its range. */
export function parseNumber(
  name: string,
  text: string | undefined,
  otherwise: number,
  range: { min: number; max: number; whole: boolean },
): number {
  if (text === undefined || text === '') return otherwise;
  const value = Number(text);
  if (!Number.isFinite(value) || value < range.min || value > range.max || (range.whole && !Number.isInteger(value))) {
    const kind = range.whole ? 'a whole number' : 'a number';
    throw new UserError(`${name} must be ${kind} from ${range.min} to ${range.max}, not "${text}".`);
  }
  return value;
}
