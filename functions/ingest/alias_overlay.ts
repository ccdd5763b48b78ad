import type { AliasChange, IngestQueries } from './database.ts';
import type { Parsers } from './venues.ts';

/** Rows of one query. A full answer means that there may be more. */
const MAX_CHANGES = 5_000;

export type AliasOverlayOptions = {
  queries: Pick<IngestQueries, 'aliasChanges'>;
  parsers(): Promise<Pick<Parsers, 'applyAliases'>>;
  log(line: string): void;
};

/**
 * Holds the confirmed aliases of the database, and gives them to the parsers when they change. The
 * sweeps of both venues share one.
 */
export class AliasOverlay {
  readonly #options: AliasOverlayOptions;
  readonly #confirmed = new Map<string, AliasChange>();
  #version = 0;

  constructor(options: AliasOverlayOptions) {
    this.#options = options;
  }

  /** Reads what changed since the last call, and returns the version that the parsers use now. */
  async refresh(): Promise<number> {
    const before = this.#version;
    let changes: AliasChange[];
    do {
      changes = await this.#options.queries.aliasChanges(this.#version, MAX_CHANGES);
      for (const change of changes) {
        // Both venues may read at once. An older answer must not undo a newer one.
        if ((this.#confirmed.get(change.alias_id)?.version ?? 0) > change.version) continue;
        this.#confirmed.set(change.alias_id, change);
        this.#version = Math.max(this.#version, change.version);
      }
    } while (changes.length === MAX_CHANGES);
    if (this.#version === before) return before;
    const parsers = await this.#options.parsers();
    const rows = [...this.#confirmed.values()].filter(({ state }) => state === 'confirmed');
    const { ignored } = parsers.applyAliases(this.#version, rows);
    this.#options.log(`aliases: version ${this.#version}, ${rows.length} confirmed, ${ignored.length} ignored`);
    for (const { id, code } of ignored.slice(0, 20)) this.#options.log(`alias "${id}" is ignored: ${code}`);
    return this.#version;
  }
}
