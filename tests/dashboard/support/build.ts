import { join } from 'node:path';
import { build, type InlineConfig } from 'vite';
import { temporaryFolder } from '../../support/temporary_folder.ts';

const dashboard = join(import.meta.dirname, '../../../dashboard');
const harness = join(import.meta.dirname, '../../live/harness');

/** A folder with built pages. `modules`: the paths of all files in the bundle. */
export type BuiltPages = { folder: string; modules: string[] };

/** Builds the pages as `npm run build` does, into a temporary folder that the caller removes. */
export const buildDashboard = (): Promise<BuiltPages> =>
  built({ configFile: join(dashboard, 'vite.config.ts'), logLevel: 'error' });

/** Builds the live pages on recorded frames like the dashboard. */
export const buildHarness = (): Promise<BuiltPages> =>
  built({
    root: harness,
    configFile: false,
    base: '/',
    publicDir: join(dashboard, 'public'),
    logLevel: 'error',
    oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
    build: { target: 'es2022', cssTarget: ['chrome123'], modulePreload: { polyfill: false } },
  });

async function built(config: InlineConfig): Promise<BuiltPages> {
  const folder = temporaryFolder('pages');
  const modules: string[] = [];
  await build({
    ...config,
    plugins: [
      {
        name: 'modules',
        generateBundle: (_options, bundle) => {
          for (const file of Object.values(bundle)) if (file.type === 'chunk') modules.push(...file.moduleIds);
        },
      },
    ],
    build: { ...config.build, outDir: folder, emptyOutDir: true },
  });
  return { folder, modules };
}
