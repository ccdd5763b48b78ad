import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * The base time of the universe, written once per data folder, so that ids, listings and starts are
 * the same after a restart. Another seed or size is another universe with a new base time.
 */
export function baseTimeIn(folder: string, seed: number, games: number, now: number): number {
  mkdirSync(folder, { recursive: true });
  const file = join(folder, 'universe.json');
  if (existsSync(file)) {
    const known = JSON.parse(readFileSync(file, 'utf8')) as { seed?: number; games?: number; base?: number };
    if (known.seed === seed && known.games === games && typeof known.base === 'number') return known.base;
  }
  const base = Math.floor(now / 60_000) * 60_000;
  writeFileSync(`${file}.new`, JSON.stringify({ seed, games, base }));
  renameSync(`${file}.new`, file);
  return base;
}
