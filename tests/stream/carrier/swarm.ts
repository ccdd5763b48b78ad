import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { SwarmCommand, SwarmReport, SwarmStart } from './swarm_process.ts';

/** Many clients of the stream in processes of their own, at low priority. */
export class Swarm {
  readonly #children: ChildProcess[];

  constructor(start: SwarmStart, processes: number) {
    const each = Math.ceil(start.keys.length / processes);
    this.#children = Array.from({ length: processes }, (_, n) => {
      const child = fork(fileURLToPath(new URL('swarm_process.ts', import.meta.url)), {
        execArgv: ['--import', 'tsx'],
      });
      send(child, { start: { ...start, keys: start.keys.slice(n * each, (n + 1) * each) } });
      return child;
    });
  }

  /** The sum over all processes. */
  async report(): Promise<SwarmReport> {
    const reports = await Promise.all(this.#children.map(reportOf));
    return reports.reduce((sum, one) => ({
      connected: sum.connected + one.connected,
      connects: sum.connects + one.connects,
      publications: sum.publications + one.publications,
      lowest: Math.min(sum.lowest, one.lowest),
      highest: Math.max(sum.highest, one.highest),
      recovered: sum.recovered + one.recovered,
      notRecovered: sum.notRecovered + one.notRecovered,
      gaps: [...sum.gaps, ...one.gaps],
      closes: addCounts(sum.closes, one.closes),
      refusedTickets: addCounts(sum.refusedTickets, one.refusedTickets),
    }));
  }

  stop(): void {
    for (const child of this.#children) child.kill('SIGKILL');
  }
}

const send = (child: ChildProcess, command: SwarmCommand) => child.send(command);

function reportOf(child: ChildProcess): Promise<SwarmReport> {
  return new Promise((resolve, reject) => {
    const exited = (code: number | null) => reject(new Error(`a process of clients ended with ${code}`));
    child.once('exit', exited);
    child.once('message', (given) => {
      child.off('exit', exited);
      resolve(given as SwarmReport);
    });
    send(child, { report: 'now' });
  });
}

function addCounts(a: Record<string, number>, b: Record<string, number>): Record<string, number> {
  const sum = { ...a };
  for (const [name, count] of Object.entries(b)) sum[name] = (sum[name] ?? 0) + count;
  return sum;
}
