import { spawn } from 'node:child_process';
import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { repository } from '../postgres/binaries.ts';
import { quietTools } from '../postgres/build.ts';

export const dashboardDist = join(repository, 'dashboard', 'dist');

/** Builds the dashboard when it was never built or its sources are newer (a fraction of a second). Resolves to a word for the terminal. */
export async function freshDashboard(): Promise<string> {
  const built = join(dashboardDist, 'index.html');
  if (existsSync(built) && statSync(built).mtimeMs >= newestSource()) return 'built';
  const vite = join(repository, 'node_modules', 'vite', 'bin', 'vite.js');
  const child = spawn(process.execPath, [vite, 'build', 'dashboard'], {
    cwd: repository,
    env: { ...process.env, ...quietTools },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let words = '';
  child.stderr.on('data', (chunk) => (words += chunk));
  const status = await new Promise<number | null>((resolve) => {
    child.once('error', () => resolve(1));
    child.once('close', resolve);
  });
  return status === 0 ? 'built just now' : `not built: run "npm run build". ${words.trim().split('\n')[0] ?? ''}`;
}

function newestSource(): number {
  const folder = join(repository, 'dashboard');
  const files = ['src', 'public'].flatMap((room) =>
    readdirSync(join(folder, room), { recursive: true, encoding: 'utf8' }).map((name) => join(room, name)),
  );
  return Math.max(
    ...['index.html', join('docs', 'index.html'), 'vite.config.ts', ...files].map(
      (name) => statSync(join(folder, name)).mtimeMs,
    ),
  );
}
