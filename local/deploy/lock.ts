import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { HOSTED_DENO_VERSION, hostedDeno } from '../platform/functions/hosted_deno.ts';
import { repository } from '../platform/postgres/binaries.ts';
import { UserError } from '../platform/user_error.ts';
import { type Upload, unpack, uploads } from './upload.ts';

/** The version that Deno 2.1.4 writes. Bundlers before edge-runtime#673 read no later one. */
const LOCK_VERSION = '4';

type Lock = { version?: string; specifiers?: Record<string, string>; npm?: Record<string, { integrity: string }> };

export const lockPath = (name: string): string => `functions/${name}/deno.lock`;

/**
 * Checks the lock that is uploaded with a function. Without it the bundler of the platform takes
 * the newest versions of the packages that our packages need.
 */
export function lockErrors(upload: Upload): string[] {
  const text = upload.files.get(lockPath(upload.name))?.toString();
  if (text === undefined)
    return [`is uploaded without deno.lock: name it in [functions.${upload.name}] static_files of config.toml`];
  const lock = JSON.parse(text) as Lock;
  const { imports = {} } = JSON.parse(upload.files.get(upload.importMap)?.toString() ?? '{}') as {
    imports?: Record<string, string>;
  };
  // container.ts is not uploaded, so the lock has no package that it alone imports.
  const code = [...upload.files].map(([path, content]) => (path.endsWith('.ts') ? content.toString() : '')).join('\n');
  const imported = Object.entries(imports).filter(([name]) =>
    ["from '", "import('"].some((before) => code.includes(`${before}${name}${name.endsWith('/') ? '' : "'"}`)),
  );
  const wanted = [...new Set(imported.map(([, specifier]) => specifier.replace(/^npm:\/?(.+?)\/?$/, 'npm:$1')))];
  const missing = wanted.filter((specifier) => !lock.specifiers?.[specifier]);
  const used = JSON.parse(readFileSync(join(repository, 'deno.lock'), 'utf8')) as Lock;
  const other = Object.entries(lock.npm ?? {})
    .filter(([name, { integrity }]) => used.npm?.[name]?.integrity !== integrity)
    .map(([name]) => name);
  const renew = 'run npm run deploy -- --lock';
  return [
    ...(lock.version === LOCK_VERSION
      ? []
      : [
          `its deno.lock has version ${lock.version}; the platform's Deno ${HOSTED_DENO_VERSION} reads ${LOCK_VERSION}`,
        ]),
    ...(missing.length > 0 ? [`its deno.lock lacks ${missing.join(', ')}: ${renew}`] : []),
    ...(other.length > 0 ? [`its deno.lock differs from the one that is tested in ${other.join(', ')}: ${renew}`] : []),
  ];
}

/** Writes functions/NAME/deno.lock with the platform's Deno, which asks the npm registry. */
export async function writeLocks(): Promise<string[]> {
  const deno = hostedDeno();
  if (!deno) throw new UserError(`Deno ${HOSTED_DENO_VERSION} is there on Linux with an x64 processor only.`);
  const written: string[] = [];
  for (const upload of await uploads(repository)) {
    const tree = mkdtempSync(join(tmpdir(), 'parallax-lock-'));
    try {
      unpack(upload, tree);
      rmSync(join(tree, lockPath(upload.name)), { force: true });
      const made = spawnSync(deno, ['cache', '--quiet', '--config', upload.importMap, upload.entrypoint], {
        cwd: tree,
        env: denoEnvironment(join(tree, '.deno')),
        encoding: 'utf8',
      });
      if (made.status !== 0) throw new UserError(`${upload.name} cannot be resolved: ${made.stderr.split('\n')[0]}`);
      copyFileSync(join(tree, lockPath(upload.name)), join(repository, lockPath(upload.name)));
      written.push(lockPath(upload.name));
    } finally {
      rmSync(tree, { recursive: true, force: true });
    }
  }
  return written;
}

/** The environment of Deno with a cache of its own, for npm behind a company proxy as well. */
export function denoEnvironment(cache: string): Record<string, string> {
  const passed = ['NPM_CONFIG_REGISTRY', 'HTTP_PROXY', 'HTTPS_PROXY', 'NO_PROXY', 'DENO_CERT'];
  return {
    PATH: process.env.PATH ?? '',
    ...Object.fromEntries(passed.flatMap((name) => (process.env[name] ? [[name, process.env[name] ?? '']] : []))),
    DENO_DIR: cache,
    DENO_NO_UPDATE_CHECK: '1',
    DENO_TLS_CA_STORE: 'system,mozilla',
    NO_COLOR: '1',
  };
}
