/** An entry of package-lock.json. */
export type LockedPackage = {
  version: string;
  license?: string;
  link?: boolean;
  dependencies?: Record<string, string>;
  optionalDependencies?: Record<string, string>;
  peerDependencies?: Record<string, string>;
  peerDependenciesMeta?: Record<string, { optional?: boolean }>;
};
export type Lockfile = { packages: Record<string, LockedPackage> };

/** The package's name: the part of its lock path after the last node_modules/. */
export const nameAt = (path: string) => path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length);

/** The lock path of a package. npm looks next to the dependant, then in each folder above. */
export function lockPathOf({ packages }: Lockfile, dependant: string, name: string): string | undefined {
  for (let base = dependant; ; base = base.slice(0, Math.max(0, base.lastIndexOf('node_modules/') - 1))) {
    const place = `${base ? `${base}/` : ''}node_modules/${name}`;
    if (place in packages) return place;
    if (base === '') return undefined;
  }
}

/**
 * Lock paths of the packages `names` and of all their dependencies. The lock also contains optional
 * packages of other platforms.
 */
export function closure(lock: Lockfile, names: Iterable<string>): Set<string> {
  const found = new Set<string>();
  const visit = (dependant: string, name: string) => {
    const place = lockPathOf(lock, dependant, name);
    if (!place || found.has(place)) return;
    found.add(place);
    const entry = lock.packages[place];
    const peers = Object.keys(entry?.peerDependencies ?? {}).filter(
      (peer) => !entry?.peerDependenciesMeta?.[peer]?.optional,
    );
    const needed = { ...entry?.dependencies, ...entry?.optionalDependencies };
    for (const needs of [...Object.keys(needed), ...peers]) visit(place, needs);
  };
  for (const name of names) visit('', name);
  return found;
}
