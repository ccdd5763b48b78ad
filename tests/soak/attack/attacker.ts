import { setPriority } from 'node:os';
import { sendToParent } from '../load/send_to_parent.ts';

/** The parent's command to an attacker. */
export type AttackCommand = {
  /** Base URL of the API and of the stream. */
  base: string;
  wsUrl: string;
  /** A key of the Free tier. */
  key: string;
  /** Ids of markets. */
  markets: string[];
  /** The control API of the simulator. */
  simulator: string;
  seed: number;
};
/** What an attacker did and which answers it got, since its start. */
export type AttackReport = Record<string, number>;

type Parent = { command: AttackCommand } | { hold: true };

/** An attack that runs. `hold` stops everything that is new; open connections stay. */
export type RunningAttack = { hold(): void };

/**
 * The lowest priority: the attackers share two cores with the stack, and their own CPU is not what
 * an attack costs.
 */
const PRIORITY = 19;
const REPORT_MS = 1_000;

/**
 * Runs an attack in this process when the parent commands it, and reports its counts. The first
 * report has none: the process is ready.
 */
export function serveAttack(
  start: (command: AttackCommand, count: (what: string, by?: number) => void) => RunningAttack,
) {
  setPriority(PRIORITY);
  const report: AttackReport = {};
  const count = (what: string, by = 1) => {
    report[what] = (report[what] ?? 0) + by;
  };
  let running: RunningAttack | undefined;
  process.on('message', (message: Parent) => {
    if ('hold' in message) running?.hold();
    else running ??= start(message.command, count);
  });
  // An attacker gets every kind of reset. None of them is a fault of its own.
  process.on('uncaughtException', (error) => count(`error of the attacker: ${error.message.slice(0, 60)}`));
  process.on('disconnect', () => process.exit(0));
  sendToParent(report);
  setInterval(() => sendToParent(report), REPORT_MS);
}
