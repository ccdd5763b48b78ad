import type { Simulator } from '../stack/simulator.ts';
import type { RunningStack } from '../support/stack.ts';
import { pause } from '../support/wait_until.ts';
import { checkRetained, countUpdates } from './database.ts';
import { type FaultName, inject } from './faults.ts';
import type { Findings } from './findings.ts';
import { DEADLINE_MS, type StackHealth } from './health.ts';
import { checkPrices } from './prices.ts';
import { shuffled } from './random.ts';
import type { FaultMark } from './timeline.ts';

/** Pause between two faults, ms. The REST snapshot is then newer than the previous fault. */
const QUIET_MS = 14_000;

export type FaultRoundsOptions = {
  stack: RunningStack;
  simulator: Simulator;
  health: StackHealth;
  findings: Findings;
  /** The faults of one round. */
  faults: readonly FaultName[];
  /** Gives each round its own order. */
  random: () => number;
  /** A key that may read markets. */
  key: string;
  printLine: (line: string) => void;
};

/** Injects one fault after another and checks the recovery. */
export class FaultRounds {
  readonly marks: FaultMark[] = [];
  /** When Postgres was killed. It may have lost the counts of the last second. */
  readonly postgresKills: number[] = [];
  /** When a process was killed last. */
  killedAt = 0;
  /** Changes before and after each kill of Postgres, which may lose the answer between them. */
  restarts = 0;
  readonly #options: FaultRoundsOptions;

  constructor(options: FaultRoundsOptions) {
    this.#options = options;
  }

  /** Injects for `forMs`. Prices are compared in snapshots after `undisturbedFrom` (epoch ms). */
  async run(forMs: number, undisturbedFrom: number): Promise<void> {
    const { faults, random } = this.#options;
    const end = Date.now() + forMs;
    while (Date.now() < end) {
      for (const name of shuffled([...faults], random)) {
        if (Date.now() + QUIET_MS > end) break;
        await pause(QUIET_MS * (0.7 + 0.6 * random()));
        await this.#checkPrices(undisturbedFrom);
        await this.#inject(name);
      }
      if (faults.length === 0 || Date.now() + QUIET_MS > end) break;
    }
    await pause(Math.max(0, end - Date.now()));
  }

  async #inject(name: FaultName): Promise<void> {
    const { stack, simulator, health, findings, random, printLine } = this.#options;
    const retained = await countUpdates(stack.sql);
    const mark: FaultMark = { name, at: Date.now(), recoveredAfterMs: null };
    this.marks.push(mark);
    if (name.startsWith('kill')) this.killedAt = mark.at;
    const killsPostgres = name === 'kill-postgres';
    if (killsPostgres) {
      this.postgresKills.push(mark.at);
      this.restarts += 1;
    }
    printLine(`fault: ${name}`);
    try {
      await inject(name, stack, simulator, random);
    } catch (error) {
      mark.missed = error instanceof Error ? error.message : String(error);
      printLine(`${name}: ${mark.missed}`);
    }
    if (killsPostgres) this.restarts += 1;
    const { afterMs, problem } = await health.recovered(Date.now());
    mark.recoveredAfterMs = afterMs;
    const errors = afterMs === null ? [`${name}: not healthy within ${DEADLINE_MS / 1000} s: ${problem}`] : [];
    findings.add('recovery from each fault', 1, errors);
    await checkRetained(stack.sql, retained, name, findings);
  }

  /** Only for a snapshot without a fault, because messages lost in a fault are in no price. */
  async #checkPrices(undisturbedFrom: number): Promise<void> {
    const { stack, simulator, findings, key, printLine } = this.#options;
    const last = this.marks.at(-1);
    const from = Math.max(undisturbedFrom, last ? last.at + (last.recoveredAfterMs ?? 0) : 0) + 3_000;
    await checkPrices(stack, simulator, key, from, findings).catch((error: unknown) =>
      printLine(`prices were not checked: ${error}`),
    );
  }
}
