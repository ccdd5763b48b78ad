/** One long piece of database work at a time: with two connections, a second one would leave none for prices and leases. */
export class SerialQueue {
  private line: Promise<unknown> = Promise.resolve();
  private waiting = 0;

  get busy(): boolean {
    return this.waiting > 0;
  }

  run<T>(work: () => Promise<T>): Promise<T> {
    this.waiting += 1;
    const turn = this.line.then(work).finally(() => {
      this.waiting -= 1;
    });
    this.line = turn.catch(() => {});
    return turn;
  }
}
