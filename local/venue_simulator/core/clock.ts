/** Cancels a timer. Without effect on one that has run or was cancelled. */
export type Cancel = () => void;

/**
 * The clock of the simulator. No other code of it reads the time or sets a timer, so that a test
 * can pass a clock that jumps to the next timer.
 */
export type Clock = {
  /** Real time, epoch milliseconds. */
  now(): number;
  /** Runs `action` once, `ms` from now. */
  after(ms: number, action: () => void): Cancel;
  /** Runs `action` every `ms`. */
  every(ms: number, action: () => void): Cancel;
};

export const systemClock: Clock = {
  now: () => Date.now(),
  after(ms, action) {
    const timer = setTimeout(action, ms);
    return () => clearTimeout(timer);
  },
  every(ms, action) {
    const timer = setInterval(action, ms);
    return () => clearInterval(timer);
  },
};
