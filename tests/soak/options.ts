import { randomInt } from 'node:crypto';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { number } from '../../local/platform/supervisor/options.ts';
import { type FaultName, faultNames } from './faults.ts';

export type SoakOptions = {
  minutes: number;
  seed: number;
  clients: number;
  games: number;
  port: number | undefined;
  out: string;
  /** In the order of a turn; drawn anew, by the seed, for each turn. */
  faults: FaultName[];
};

export const usage = `npm run soak -- [options]

  --minutes N   how long the load and the faults go on (default 10)
  --seed N      which order of faults and requests (default: drawn, and printed)
  --clients N   stream clients (default 200)
  --games N     how large the simulated universe is (default 60)
  --port N      the stack's door (default: a free one)
  --out DIR     where the report goes (default soak-report)
  --faults LIST comma-separated; default all:
                ${faultNames.join(', ')}`;

/** Reads the command line; 'help' when only that was asked. */
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
    throw new Error(`There is no fault ${unknown.join(', ')}. There are: ${faultNames.join(', ')}.`);
  return {
    minutes: number('--minutes', values.minutes, 10, { min: 0.5, max: 10_000, whole: false }),
    seed: number('--seed', values.seed, randomInt(1, 2 ** 31), { min: 1, max: 2 ** 31, whole: true }),
    clients: number('--clients', values.clients, 200, { min: 4, max: 5_000, whole: true }),
    games: number('--games', values.games, 60, { min: 10, max: 100_000, whole: true }),
    port:
      values.port === undefined ? undefined : number('--port', values.port, 0, { min: 1, max: 65_535, whole: true }),
    out: resolve(values.out ?? 'soak-report'),
    faults: faults as FaultName[],
  };
}
