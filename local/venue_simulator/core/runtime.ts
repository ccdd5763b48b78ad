import { type Clock, systemClock } from './clock.ts';

/** What the simulator takes from outside. Tests pass their own. */
export type Runtime = {
  clock: Clock;
  /** 0 to 1, for the faults. The world is a function of its seed. */
  random(): number;
  log(message: string): void;
};

export const systemRuntime: Runtime = {
  clock: systemClock,
  random: () => Math.random(),
  // Standard output has one line with the addresses. All other output goes to standard error.
  log: (message) => process.stderr.write(`venues: ${message}\n`),
};
