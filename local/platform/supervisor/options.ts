import { X509Certificate } from 'node:crypto';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { platformLimits } from '../limits/limits.ts';
import { errorText, UserError } from '../user_error.ts';

/** What the person asked `npm start` for. */
export type StartOptions = {
  port: number;
  folder: string;
  source: 'simulated' | 'live' | 'replay';
  /** Undefined: what the data folder was begun with, else the default. */
  seed: number | undefined;
  games: number | undefined;
  speed: number;
  replay: string | undefined;
  restDelaySeconds: number;
  /** Receivers of webhooks that may be on this machine, as host:port, and the PEM of a CA that vouches for them. */
  webhookAllow: readonly string[];
  webhookCa: string | undefined;
  /** Functions under the platform's limits, with so many seconds of wall clock; undefined: one worker a function, without. */
  hostedWallSeconds: number | undefined;
  /** Whether the functions wait for a debugger. */
  inspect: boolean;
};

export const usage = `npm start -- [options]

  --port N      the door of everything (default 54321); PostgreSQL takes N+1 if that is free
  --data DIR    where the data lives (default .data); it outlives restarts
  --seed N      which simulated universe (default 1)
  --games N     how many simulated games (default: a few hundred)
  --speed N     market time runs N times as fast as real time, simulated or replayed (default 1)
  --live        read the real venues
  --replay DIR  play a recording: listings.venue_a.json, listings.venue_b.json, books.jsonl
  --webhook-allow HOST:PORT
                a webhook receiver that may be on this machine (may be given more than once)
  --webhook-ca FILE
                PEM of a CA that has signed such receivers' certificates
  --hosted-limits
                each call of a function in a worker of its own, killed at the platform's limits: 2 s of CPU,
                256 MB, 150 s of wall clock; the page Status and /limits.json say what they use (Linux)
  --wall-clock S
                with --hosted-limits, another wall clock: 400 s on a paid plan
  --inspect     functions and the gateway take a debugger (chrome://inspect); their ports are printed
  --help        this text

Environment: REST_DELAY_SECONDS (default 120): how far REST lags behind the markets.`;

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
  inspect: { type: 'boolean' },
  help: { type: 'boolean' },
} as const;

/** Reads the command line; 'help' when only that was asked. Throws PlainFailure on anything that it does not understand. */
export function readOptions(
  args: string[],
  env: Readonly<Record<string, string | undefined>> = process.env,
): StartOptions | 'help' {
  const values = parse(args);
  if (values.help) return 'help';
  if (values.live && values.replay !== undefined)
    throw new UserError('--live and --replay exclude each other: choose one.');
  const source = values.live ? 'live' : values.replay !== undefined ? 'replay' : 'simulated';
  for (const name of ['seed', 'games'] as const) {
    if (values[name] !== undefined && source !== 'simulated') {
      throw new UserError(`--${name} shapes the simulated universe and means nothing with --${source}: leave it out.`);
    }
  }
  if (values.speed !== undefined && source === 'live') {
    throw new UserError('--speed cannot hurry the real venues: leave it out with --live.');
  }
  const replay = values.replay === undefined ? undefined : resolve(values.replay);
  if (replay && !(existsSync(replay) && statSync(replay).isDirectory())) {
    throw new UserError(`There is no folder ${replay}: --replay takes the folder of a recording.`);
  }
  return {
    port: number('--port', values.port, 54_321, { min: 1, max: 65_535, whole: true }),
    folder: resolve(values.data ?? '.data'),
    source,
    seed:
      values.seed === undefined
        ? undefined
        : number('--seed', values.seed, 1, { min: 0, max: 2 ** 31 - 1, whole: true }),
    games:
      values.games === undefined
        ? undefined
        : number('--games', values.games, 1, { min: 10, max: 100_000, whole: true }),
    speed: number('--speed', values.speed, 1, { min: 0.01, max: 1_000, whole: false }),
    replay,
    restDelaySeconds: number('REST_DELAY_SECONDS', env.REST_DELAY_SECONDS, 120, { min: 0, max: 86_400, whole: true }),
    ...receivers(values['webhook-allow'] ?? [], values['webhook-ca']),
    hostedWallSeconds: wallClock(values['hosted-limits'] ?? false, values['wall-clock']),
    inspect: inspecting(values.inspect ?? false, values['hosted-limits'] ?? false),
  };
}

function inspecting(asked: boolean, hosted: boolean): boolean {
  if (asked && hosted)
    throw new UserError('--inspect and --hosted-limits exclude each other: each of its workers lives for one call.');
  return asked;
}

/** Seconds under --hosted-limits, undefined without it. */
function wallClock(hosted: boolean, given: string | undefined): number | undefined {
  if (!hosted && given !== undefined)
    throw new UserError('--wall-clock is a limit of --hosted-limits and means nothing without it: leave it out.');
  if (hosted && process.platform !== 'linux')
    throw new UserError('--hosted-limits reads what workers use from /proc, which Linux alone has.');
  const { wallSeconds } = platformLimits;
  return hosted ? number('--wall-clock', given, wallSeconds, { min: 20, max: 400, whole: true }) : undefined;
}

/** The one way in which the rule of addresses is ever relaxed: hosts that the person at this machine names. */
function receivers(allow: readonly string[], ca: string | undefined): Pick<StartOptions, 'webhookAllow' | 'webhookCa'> {
  const webhookAllow = allow.map((given) => {
    const [, literal, name, port] = /^(?:\[([\da-f:.]+)\]|([a-z0-9._-]+)):(\d+)$/i.exec(given) ?? [];
    const host = literal ?? name;
    if (host === undefined)
      throw new UserError(`--webhook-allow takes HOST:PORT such as localhost:8443, not "${given}".`);
    return `${host.toLowerCase()}:${number('--webhook-allow', port, 0, { min: 1, max: 65_535, whole: true })}`;
  });
  if (ca === undefined) return { webhookAllow, webhookCa: undefined };
  try {
    const webhookCa = readFileSync(ca, 'utf8');
    new X509Certificate(webhookCa);
    return { webhookAllow, webhookCa };
  } catch (error) {
    throw new UserError(`--webhook-ca ${ca} is no PEM of a certificate: ${errorText(error)}.`);
  }
}

function parse(args: string[]) {
  try {
    return parseArgs({ args, options: known, strict: true, allowPositionals: false }).values;
  } catch (error) {
    const all = Object.keys(known).map((name) => `--${name}`);
    throw new UserError(`${errorText(error).split('. ')[0]}. There are: ${all.join(' ')} (npm start -- --help).`);
  }
}

/** A number of the command line within its range. */
export function number(
  name: string,
  text: string | undefined,
  otherwise: number,
  range: { min: number; max: number; whole: boolean },
): number {
  if (text === undefined || text === '') return otherwise;
  const value = Number(text);
  if (!Number.isFinite(value) || value < range.min || value > range.max || (range.whole && !Number.isInteger(value))) {
    const kind = range.whole ? 'a whole number' : 'a number';
    throw new UserError(`${name} is ${kind} from ${range.min} to ${range.max}, not "${text}".`);
  }
  return value;
}
