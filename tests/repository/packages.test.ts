import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type Lockfile, lockPathOf } from '../../local/licences/lockfile.ts';

const root = join(import.meta.dirname, '../..');
const read = (path: string) => JSON.parse(readFileSync(join(root, path), 'utf8'));
const manifest = read('package.json') as {
  dependencies: Record<string, string>;
  devDependencies: Record<string, string>;
};
const wanted = { ...manifest.dependencies, ...manifest.devDependencies };

describe('packages', () => {
  it('are pinned to exact versions, so that every machine runs the same code', () => {
    for (const [name, version] of Object.entries(wanted)) expect(version, name).toMatch(/^\d+\.\d+\.\d+(-[\w.]+)?$/);
  });

  it('each have a reason in docs/dependencies.md', () => {
    const page = readFileSync(join(root, 'docs/dependencies.md'), 'utf8');
    for (const name of Object.keys(wanted)) expect(page, name).toContain(`\`${name}\``);
  });

  it('are all in the lock for every platform, or npm ci stops on a colleague’s machine', () => {
    const lock = read('package-lock.json') as Lockfile;
    const missing: string[] = [];
    for (const [path, entry] of Object.entries(lock.packages)) {
      for (const name of Object.keys(entry.optionalDependencies ?? {})) {
        if (!lockPathOf(lock, path, name)) missing.push(`${path} -> ${name}`);
      }
    }
    expect(missing).toEqual([]);
  });

  it('have the same version in the functions as in package.json, or the tests would prove other code than what deploys', () => {
    for (const name of ['api', 'deliver', 'export', 'ingest', 'stream']) {
      const { imports } = read(`functions/${name}/deno.json`) as { imports: Record<string, string> };
      for (const [bare, target] of Object.entries(imports)) {
        const found = /^npm:\/?((?:@[^/]+\/)?[^@/]+)@([^/]+)\/?$/.exec(target);
        expect(found, `${name}: ${bare} -> ${target}`).not.toBeNull();
        expect(manifest.dependencies[found?.[1] ?? ''], `${name}: ${bare}`).toBe(found?.[2]);
      }
    }
  });
});
