/** A binary heap ordered by a numeric key, smallest first. */
export class Heap<T> {
  readonly #keys: number[] = [];
  readonly #items: T[] = [];

  get size(): number {
    return this.#items.length;
  }

  nextKey(): number {
    return this.#keys[0] ?? Number.POSITIVE_INFINITY;
  }

  push(key: number, item: T): void {
    let at = this.#items.length;
    this.#keys.push(key);
    this.#items.push(item);
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if ((this.#keys[parent] as number) <= key) break;
      this.#move(parent, at);
      at = parent;
    }
    this.#keys[at] = key;
    this.#items[at] = item;
  }

  pop(): T | undefined {
    const first = this.#items[0];
    const key = this.#keys.pop();
    const item = this.#items.pop();
    if (this.#items.length === 0 || key === undefined || item === undefined) return first;
    let at = 0;
    for (;;) {
      const left = 2 * at + 1;
      if (left >= this.#items.length) break;
      const right = left + 1;
      const child =
        right < this.#items.length && (this.#keys[right] as number) < (this.#keys[left] as number) ? right : left;
      if ((this.#keys[child] as number) >= key) break;
      this.#move(child, at);
      at = child;
    }
    this.#keys[at] = key;
    this.#items[at] = item;
    return first;
  }

  #move(from: number, to: number): void {
    this.#keys[to] = this.#keys[from] as number;
    this.#items[to] = this.#items[from] as T;
  }
}
