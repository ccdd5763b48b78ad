import { randomInt } from 'node:crypto';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { parseNumber } from '../../local/platform/supervisor/options.ts';
import { ATTACK_NAMES, type AttackName } from './attack/names.ts';
import { type FaultName, faultNames } from './faults.ts';

export type SoakOptions = {
  minutes: number;
  seed: number;
  clients: number;
  games: number;
  port: number | undefined;
  out: string;
  /** The faults of one round. The seed gives each round its own order. */
  faults: FaultName[];
  /** The attacks, each in windows of its own and then all at once. */
  attacks: AttackName[];
  /** Only all attacks at once, not each alone. */
  atOnce: boolean;
};

/** From this length on, the bounds of issue 24 apply. */
export const STRICT_MINUTES = 25;

export const usage = `npm run soak -- [options]

  --minutes N   duration of the load, the attacks and the faults (default 10)
  --seed N      seed for the order of faults and requests (default: random, and printed)
  --clients N   stream clients (default 200)
  --games N     games of the simulated universe (default 60)
  --port N      port of the gateway (default: a free port)
  --out DIR     folder of the report (default soak-report)
  --faults LIST comma-separated, or none (default: all):
                ${faultNames.join(', ')}
  --attacks LIST comma-separated, or none (default: all):
                ${ATTACK_NAMES.join(', ')}
  --at-once     the attacks only all at once, not each alone before

The percentiles under attack may be twice the quiet ones from --minutes ${STRICT_MINUTES} on. Shorter
runs have too few answers for that and use loose bounds.`;

/** Parses the command line. Returns 'help' for --help. */
export function readSoakOptions(args: string[]): SoakOptions | 'help' {
  const { values } = parseArgs({
    args,
    options: {
      minutes: { type: 'string' },
      seed: { type: 'string' },
      clients: { type: 'string' },
      games: { type: 'string' },
      port: { type: 'string' },
      out: { type: 'string' },
      faults: { type: 'string' },
      attacks: { type: 'string' },
      'at-once': { type: 'boolean', default: false },
      help: { type: 'boolean' },
    },
  });
  if (values.help) return 'help';
  return {
    minutes: parseNumber('--minutes', values.minutes, 10, { min: 0.5, max: 10_000, whole: false }),
    seed: parseNumber('--seed', values.seed, randomInt(1, 2 ** 31), { min: 1, max: 2 ** 31, whole: true }),
    clients: parseNumber('--clients', values.clients, 200, { min: 4, max: 5_000, whole: true }),
    games: parseNumber('--games', values.games, 60, { min: 10, max: 100_000, whole: true }),
    port:
      values.port === undefined
        ? undefined
        : parseNumber('--port', values.port, 0, { min: 1, max: 65_535, whole: true }),
    out: resolve(values.out ?? 'soak-report'),
    faults: parseList('fault', values.faults, faultNames),
    attacks: parseList('attack', values.attacks, ATTACK_NAMES),
    atOnce: values['at-once'],
  };
}

/** A list of `names`: all of them by default, and no name for `none`. */
function parseList<Name extends string>(kind: string, text: string | undefined, names: readonly Name[]): Name[] {
  if (text === undefined) return [...names];
  if (text === 'none') return [];
  const given = text.split(',').filter(Boolean);
  const unknown = given.filter((name) => !(names as readonly string[]).includes(name));
  if (unknown.length > 0)
    throw new Error(`Unknown ${kind} ${unknown.join(', ')}. The ${kind}s are: ${names.join(', ')}.`);
  return given as Name[];
}
