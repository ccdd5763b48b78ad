import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { tsxArguments } from '../../../local/platform/supervisor/venues.ts';
import type { AttackCommand, AttackReport } from './attacker.ts';
import { ATTACK_NAMES, type AttackName } from './names.ts';

/** The attackers that run, each in a process of its own. */
export class Attackers {
  /** The counts of all attacks of one kind. */
  readonly reports = new Map<AttackName, AttackReport>();
  readonly #running: { name: AttackName; child: ChildProcess; before: AttackReport }[] = [];

  /**
   * Starts the attacks of `names` that have a process, all at the same time: when the last process
   * is ready. The hanging receivers have another class.
   */
  async start(names: readonly AttackName[], command: AttackCommand): Promise<void> {
    const ready: Promise<unknown>[] = [];
    for (const name of ATTACK_NAMES) {
      if (!names.includes(name) || name === 'receivers') continue;
      const child = fork(fileURLToPath(new URL(`./${name}.ts`, import.meta.url)), { execArgv: tsxArguments });
      const before = { ...this.reports.get(name) };
      this.#running.push({ name, child, before });
      child.on('message', (report: AttackReport) => this.reports.set(name, sum(before, report)));
      ready.push(once(child, 'message'));
    }
    await Promise.all(ready);
    for (const { child } of this.#running) child.send({ command });
  }

  /** From now on they open nothing; what is open stays open. */
  hold(): void {
    for (const { child } of this.#running) if (child.connected) child.send({ hold: true });
  }

  end(): void {
    for (const { child } of this.#running.splice(0)) if (child.connected) child.disconnect();
  }
}

function sum(one: AttackReport, other: AttackReport): AttackReport {
  const all = { ...one };
  for (const [what, count] of Object.entries(other)) all[what] = (all[what] ?? 0) + count;
  return all;
}
