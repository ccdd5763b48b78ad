import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { denoProgram, repository } from '../platform/postgres/binaries.ts';
import { functionNames } from './config.ts';
import { checkResult, type Finding } from './finding.ts';
import { lockErrors } from './lock.ts';
import { type Upload, unpack, uploads } from './upload.ts';

/**
 * Maximum size of a bundle that the platform makes itself (`--use-api`), from
 * docs:guides/functions/limits.mdx.
 */
const MAX_BUNDLE_BYTES = 5_000_000;

/**
 * Checks each function as the CLI uploads it, bundled from those files only. Also returns the
 * uploads.
 */
export async function functionFindings(folder: string): Promise<{ findings: Finding[]; uploaded: Upload[] }> {
  const uploaded = await uploads(folder);
  const names = functionNames(folder);
  const missing = names.filter((name) => !uploaded.some((upload) => upload.name === name));
  const findings = [
    checkResult(
      'upload (supabase functions deploy)',
      missing.map((name) => `${name} is not uploaded`),
      names.join(', '),
    ),
    ...uploaded.map(functionFinding),
  ];
  return { findings, uploaded };
}

function functionFinding(upload: Upload): Finding {
  const other = [...upload.files.keys()].filter(
    (path) => !path.startsWith('functions/_shared/') && !path.startsWith(`functions/${upload.name}/`),
  );
  const errors = [
    ...other.map((path) => `includes ${path} of another function`),
    ...(upload.verifyJwt ? ['is uploaded with verify_jwt on'] : []),
    ...(upload.entrypoint === `functions/${upload.name}/index.ts` ? [] : [`has the entrypoint ${upload.entrypoint}`]),
    ...(upload.importMap === `functions/${upload.name}/deno.json` ? [] : [`has the import map ${upload.importMap}`]),
    ...lockErrors(upload),
  ];
  const bundled = bundle(upload);
  if ('error' in bundled) errors.push(`cannot be bundled from its uploaded files: ${bundled.error}`);
  else {
    errors.push(...bundled.undeclared.map((name) => `imports ${name}, which its deno.json does not name`));
    if (bundled.bytes > MAX_BUNDLE_BYTES)
      errors.push(`its bundle of ${bundled.bytes} bytes exceeds the limit of ${MAX_BUNDLE_BYTES}`);
  }
  const size = 'bytes' in bundled ? `bundle ${megabytes(bundled.bytes)} of ${megabytes(MAX_BUNDLE_BYTES)}` : '';
  return checkResult(
    `function ${upload.name}`,
    errors,
    `${upload.files.size} files, ${megabytes(upload.bytes)} uploaded, ${size}`,
  );
}

const megabytes = (bytes: number) => `${(bytes / 1_000_000).toFixed(2)} MB`;

type Bundled = { bytes: number; undeclared: string[] } | { error: string };

/** Bundles the uploaded files and nothing else, as the platform does. */
function bundle(upload: Upload): Bundled {
  const tree = mkdtempSync(join(tmpdir(), 'parallax-bundle-'));
  try {
    unpack(upload, tree);
    symlinkSync(join(repository, 'node_modules'), join(tree, 'node_modules'));
    const workspace = [`./functions/${upload.name}`];
    writeFileSync(join(tree, 'deno.json'), JSON.stringify({ workspace, nodeModulesDir: 'manual', lock: false }));
    const output = join(tree, 'bundle.js');
    const result = deno(tree, ['bundle', '--quiet', '--output', output, upload.entrypoint]);
    if (result.status === 0) return { bytes: statSync(output).size, undeclared: undeclared(tree, upload) };
    const firstError = result.stderr.split('\n').find((line) => /error/i.test(line));
    return { error: (firstError ?? `${result.error ?? result.stderr}`).trim() };
  } finally {
    rmSync(tree, { recursive: true, force: true });
  }
}

function deno(cwd: string, args: string[]) {
  const env = {
    PATH: process.env.PATH ?? '',
    HOME: process.env.HOME ?? '',
    NO_COLOR: '1',
    DENO_NO_UPDATE_CHECK: '1',
    // Deno's first bundle downloads its bundler. Behind a company proxy, the system's CAs are
    // needed as well.
    DENO_TLS_CA_STORE: 'system,mozilla',
  };
  return spawnSync(denoProgram(), args, { cwd, env, encoding: 'utf8', timeout: 120_000, maxBuffer: 64_000_000 });
}

type Graph = { modules: { kind?: string; dependencies?: { specifier: string; code?: unknown }[] }[] };

/**
 * Packages that the code imports but the function's deno.json does not name. They are in this
 * node_modules, not on the platform.
 */
function undeclared(tree: string, upload: Upload): string[] {
  const graph = JSON.parse(deno(tree, ['info', '--json', upload.entrypoint]).stdout) as Graph;
  const { imports } = JSON.parse(upload.files.get(upload.importMap)?.toString() ?? '{}') as { imports?: object };
  const named = Object.keys(imports ?? {});
  const packages = graph.modules
    .flatMap((module) => module.dependencies ?? [])
    .filter(({ specifier, code }) => code !== undefined && !/^(\.|node:)/.test(specifier))
    .map(({ specifier }) => specifier)
    .filter((name) => !named.some((key) => key === name || (key.endsWith('/') && name.startsWith(key))));
  return [...new Set(packages)].sort();
}
