import type { AliasChange, IngestQueries, LeagueChange } from './database.ts';
import type { Parsers } from './venues.ts';

/** Rows of one query. A full answer means that there may be more. */
const MAX_CHANGES = 5_000;

export type AliasOverlayOptions = {
  queries: Pick<IngestQueries, 'registryVersion' | 'aliasChanges' | 'leagueChanges' | 'recordIgnoredLeagues'>;
  parsers(): Promise<Pick<Parsers, 'applyAliases' | 'applyLeagues'>>;
  log(line: string): void;
};

/**
 * Holds the leagues and the aliases that operators confirmed, and gives them to the parsers when
 * they change. The sweeps of both venues share one.
 */
export class AliasOverlay {
  readonly #options: AliasOverlayOptions;
  readonly #aliases = new Map<string, AliasChange>();
  readonly #leagues = new Map<string, LeagueChange>();
  #version = 0;

  constructor(options: AliasOverlayOptions) {
    this.#options = options;
  }

  /** Reads what changed since the last call, and returns the version that the parsers use now. */
  async refresh(): Promise<number> {
    const before = this.#version;
    const version = await this.#options.queries.registryVersion();
    if (version <= before) return before;
    // Both kinds share one count of versions. What is decided while they are read comes next time.
    const isRead = (change: { version: number }): boolean => change.version <= version;
    const leagues = (await this.#options.queries.leagueChanges(before)).filter(isRead);
    const aliases = (await this.#readAliases(before)).filter(isRead);
    for (const change of leagues) keepNewer(this.#leagues, change.subject, change);
    for (const change of aliases) keepNewer(this.#aliases, change.alias_id, change);
    if (version <= this.#version) return this.#version;
    this.#version = version;
    const parsers = await this.#options.parsers();
    if (leagues.length > 0) await this.#applyLeagues(parsers);
    const rows = [...this.#aliases.values()].filter(({ state }) => state === 'confirmed');
    const { ignored } = parsers.applyAliases(this.#version, rows);
    this.#options.log(`aliases: version ${this.#version}, ${rows.length} confirmed, ${ignored.length} ignored`);
    for (const { id, code } of ignored.slice(0, 20)) this.#options.log(`alias "${id}" is ignored: ${code}`);
    return this.#version;
  }

  async #readAliases(since: number): Promise<AliasChange[]> {
    const changes: AliasChange[] = [];
    let page: AliasChange[];
    do {
      page = await this.#options.queries.aliasChanges(changes.at(-1)?.version ?? since, MAX_CHANGES);
      changes.push(...page);
    } while (page.length === MAX_CHANGES);
    return changes;
  }

  async #applyLeagues(parsers: Pick<Parsers, 'applyLeagues'>): Promise<void> {
    const confirmed = [...this.#leagues.values()].filter(({ state }) => state === 'confirmed');
    const rows = confirmed.map(({ definition }) => definition);
    const { ignored } = parsers.applyLeagues(this.#version, rows);
    this.#options.log(`leagues: version ${this.#version}, ${rows.length} confirmed, ${ignored.length} ignored`);
    const codes = Object.fromEntries(ignored.map(({ id, code }) => [id, code]));
    await this.#options.queries.recordIgnoredLeagues(this.#version, codes);
  }
}

/** Both venues may read at once. An older answer must not undo a newer one. */
function keepNewer<T extends { version: number }>(rows: Map<string, T>, key: string, row: T): void {
  if ((rows.get(key)?.version ?? 0) <= row.version) rows.set(key, row);
}
