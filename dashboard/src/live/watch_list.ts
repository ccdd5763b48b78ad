import { useEffect, useReducer } from 'preact/hooks';

const KEY = 'parallax.watched_markets';

/** A market id is 40 characters long. Old ids are dropped first. */
const MAX_WATCHED = 500;

type Store = Pick<Storage, 'getItem' | 'setItem'>;

/** The watched markets, stored in this browser. A browser without storage keeps them in memory. */
export class WatchList {
  readonly #store: () => Store;
  readonly #watchers = new Set<() => void>();
  #ids: ReadonlySet<string> | undefined;

  constructor(store: () => Store) {
    this.#store = store;
  }

  get ids(): ReadonlySet<string> {
    this.#ids ??= this.#read();
    return this.#ids;
  }

  toggle(id: string): void {
    const next = new Set(this.ids);
    if (!next.delete(id)) next.add(id);
    this.#ids = new Set([...next].slice(-MAX_WATCHED));
    try {
      this.#store().setItem(KEY, JSON.stringify([...this.#ids]));
    } catch {
      // Storage is full or blocked: the list lasts as long as the page.
    }
    this.#notify();
  }

  /** Reads the list again, after another tab has changed it. */
  reload(): void {
    this.#ids = this.#read();
    this.#notify();
  }

  onChange(changed: () => void): () => void {
    this.#watchers.add(changed);
    return () => this.#watchers.delete(changed);
  }

  #read(): ReadonlySet<string> {
    try {
      const stored: unknown = JSON.parse(this.#store().getItem(KEY) ?? '[]');
      return new Set(Array.isArray(stored) ? stored.filter((id) => typeof id === 'string') : []);
    } catch {
      return new Set();
    }
  }

  #notify(): void {
    for (const changed of this.#watchers) changed();
  }
}

const watched = new WatchList(() => localStorage);

/** The ids of the watched markets; a change is a new set. */
export function useWatchList(): { ids: ReadonlySet<string>; toggle(id: string): void } {
  const [, draw] = useReducer((times: number) => times + 1, 0);
  useEffect(() => {
    const onStorage = ({ key }: StorageEvent) => {
      if (key === KEY || key === null) watched.reload();
    };
    addEventListener('storage', onStorage);
    const stop = watched.onChange(() => draw(undefined));
    return () => {
      removeEventListener('storage', onStorage);
      stop();
    };
  }, []);
  return { ids: watched.ids, toggle };
}

const toggle = (id: string): void => watched.toggle(id);
