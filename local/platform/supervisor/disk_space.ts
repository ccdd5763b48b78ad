import { errorCode, isDiskFull } from '../user_error.ts';

/**
 * The writes of the supervisor to the data folder while the stack runs. None of them may end the
 * stack: a write that fails is reported once, and so is the end of the failure.
 */
export class DiskSpace {
  readonly #folder: string;
  readonly #printLine: (line: string) => void;
  #isFailing = false;

  constructor(folder: string, printLine: (line: string) => void) {
    this.#folder = folder;
    this.#printLine = printLine;
  }

  /** Runs a write and returns whether it succeeded. Throws what is no error of the system. */
  attempt(write: () => void): boolean {
    try {
      write();
      return true;
    } catch (error) {
      const code = errorCode(error);
      if (code === undefined) throw error;
      if (!this.#isFailing)
        this.#printLine(
          isDiskFull(error)
            ? `The disk of ${this.#folder} is full (${code}). Until it has space, logs and market time are not saved, and PostgreSQL may stop.`
            : `${this.#folder} cannot be written (${code}). Until it can, logs and market time are not saved.`,
        );
      this.#isFailing = true;
      return false;
    }
  }

  /**
   * As `attempt`, for a write that needs new space. Its success ends a failure; a short line of a
   * log may still fit on a full disk.
   */
  attemptFile(write: () => void): void {
    if (!this.attempt(write) || !this.#isFailing) return;
    this.#isFailing = false;
    this.#printLine(`${this.#folder} can be written again.`);
  }
}
