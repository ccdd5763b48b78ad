import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { denoProgram, repository } from '../../local/platform/postgres/binaries.ts';

test.each(['api', 'ingest', 'deliver', 'stream', 'export'])(
  'deno.lock is up to date for the function %s (run `npx deno cache functions/*/index.ts`)',
  (name) => {
    const made = spawnSync(denoProgram(), ['cache', '--frozen', `functions/${name}/index.ts`], {
      cwd: repository,
      env: { ...process.env, NO_COLOR: '1', DENO_NO_UPDATE_CHECK: '1' },
      encoding: 'utf8',
      timeout: 60_000,
    });
    expect(made.stderr).not.toContain('error');
    expect(made.status).toBe(0);
  },
  90_000,
);
