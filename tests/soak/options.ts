import { randomInt } from 'node:crypto';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { parseNumber } from '../../local/platform/supervisor/options.ts';
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
};

export const usage = `npm run soak -- [options]

  --minutes N   duration of the load and the faults (default 10)
  --seed N      seed for the order of faults and requests (default: random, and printed)
  --clients N   stream clients (default 200)
  --games N     games of the simulated universe (default 60)
  --port N      port of the gateway (default: a free port)
  --out DIR     folder of the report (default soak-report)
  --faults LIST comma-separated (default: all):
                ${faultNames.join(', ')}`;

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
      help: { type: 'boolean' },
    },
  });
  if (values.help) return 'help';
  const faults = values.faults === undefined ? [...faultNames] : values.faults.split(',').filter(Boolean);
  const unknown = faults.filter((name) => !faultNames.includes(name as FaultName));
  if (unknown.length > 0)
    throw new Error(`Unknown fault ${unknown.join(', ')}. The faults are: ${faultNames.join(', ')}.`);
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
    faults: faults as FaultName[],
  };
}
