import { spawn } from 'node:child_process';
import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { guideFiles } from '../../../dashboard/guides/table.ts';
import { repository } from '../postgres/binaries.ts';
import { quietTools } from '../postgres/build.ts';

export const dashboardDist = join(repository, 'dashboard', 'dist');

/**
 * Builds the dashboard if it was never built or its sources are newer (less than a second).
 * Resolves to a text for the terminal.
 */
export async function buildDashboardIfStale(): Promise<string> {
  const built = join(dashboardDist, 'index.html');
  if (existsSync(built) && statSync(built).mtimeMs >= newestSource()) return 'built';
  const vite = join(repository, 'node_modules', 'vite', 'bin', 'vite.js');
  const child = spawn(process.execPath, [vite, 'build', 'dashboard'], {
    cwd: repository,
    env: { ...process.env, ...quietTools },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let output = '';
  child.stderr.on('data', (chunk) => (output += chunk));
  const status = await new Promise<number | null>((resolve) => {
    child.once('error', () => resolve(1));
    child.once('close', resolve);
  });
  return status === 0 ? 'built just now' : `not built. Run "npm run build". ${output.trim().split('\n')[0] ?? ''}`;
}

function newestSource(): number {
  const folder = join(repository, 'dashboard');
  const files = ['src', 'public', 'guides'].flatMap((subfolder) =>
    readdirSync(join(folder, subfolder), { recursive: true, encoding: 'utf8' }).map((name) => join(subfolder, name)),
  );
  const guides = guideFiles.map(({ file }) => join('..', 'docs', file));
  return Math.max(
    ...['index.html', join('docs', 'index.html'), 'vite.config.ts', ...files, ...guides].map(
      (name) => statSync(join(folder, name)).mtimeMs,
    ),
  );
}
