/**
 * Runs one long database task at a time. There are two connections, and a second long task would
 * leave none for prices and leases.
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
