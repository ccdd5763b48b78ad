/**
 * Runs one long database task of the listings at a time, so that the backtest has a connection too.
 */
export class SerialQueue {
  #tail: Promise<unknown> = Promise.resolve();
  #waiting = 0;

  get isBusy(): boolean {
    return this.#waiting > 0;
  }

  run<T>(work: () => Promise<T>): Promise<T> {
    this.#waiting += 1;
    const turn = this.#tail.then(work).finally(() => {
      this.#waiting -= 1;
    });
    this.#tail = turn.catch(() => {});
    return turn;
  }
}
