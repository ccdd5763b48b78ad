import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { chmodSync, copyFileSync, mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { denoProgram, repository } from '../../local/platform/postgres/binaries.ts';
import { freePort } from '../../local/platform/postgres/postgres.ts';
import { environmentFor } from '../ingest/fixture.ts';
import { createDatabase, type TestDatabase } from '../support/database.ts';
import { temporaryFolder } from '../support/temporary_folder.ts';
import { waitUntil } from '../support/wait_until.ts';
import { type RunningVenues, startVenues } from '../venue_simulator/fixture.ts';
import { type ComposeService, readCompose, secondsOf } from './compose.ts';
import { type Build, build, inside, pathOf, readImage, readText } from './dockerfile.ts';
import { RunningContainer } from './running_container.ts';

// Guarantee: what the Dockerfile copies and runs is enough for each service of compose.yaml, as a
// user without rights. There is no Docker here, so the test executes the steps itself, in an empty
// folder in place of the image's file system.

const TIMEOUT_MS = 120_000;
const PORT_IN_CONTAINER = '8000';
const image = readImage(readText(repository, 'Dockerfile'));
const services = readCompose(readText(repository, 'compose.yaml'));
const isRoot = process.getuid?.() === 0;

const networkEnv = Object.fromEntries(
  Object.entries(process.env).filter(([name]) => /proxy$|^npm_config_registry$|^SSL_CERT|^DENO_(CERT|TLS)/i.test(name)),
) as Record<string, string>;
const registry = process.env.npm_config_registry ?? 'https://registry.npmjs.org/';
const buildEnv = { ...networkEnv, NPM_CONFIG_REGISTRY: registry, DENO_TLS_CA_STORE: 'system,mozilla' };

const answersRegistry = (): boolean => {
  const script = `Deno.exit((await fetch(${JSON.stringify(registry)} + 'hono', { method: 'HEAD' })).ok ? 0 : 1)`;
  const options = { env: { ...buildEnv, HOME: process.env.HOME ?? '' }, timeout: 20_000 };
  return spawnSync(denoProgram(), ['eval', '--no-config', script], options).status === 0;
};
const hasRegistry = answersRegistry();
if (!hasRegistry) console.log('tests/containers/image.slow.test.ts is skipped: Deno does not reach the npm registry');

/** As root, a command runs as this user. Anyone else stays who they are. */
const asUser = (ids: string, argv: readonly string[]): string[] => {
  const [uid = '', gid = uid] = ids.split(':');
  return isRoot
    ? ['setpriv', `--reuid=${uid}`, `--regid=${gid}`, '--clear-groups', '--no-new-privs', ...argv]
    : [...argv];
};

describe.skipIf(!hasRegistry)('the image that the Dockerfile describes', () => {
  const folder = temporaryFolder('image');
  const options: Build = {
    context: repository,
    root: join(folder, 'root'),
    bin: join(folder, 'bin'),
    as: (argv) => asUser('1992', argv),
    afterCopy: () => chown('1992:1992'),
    env: { ...buildEnv, HOME: folder },
  };
  const chown = (owner: string): void => {
    if (isRoot) expect(spawnSync('chown', ['-R', owner, options.root]).status).toBe(0);
  };
  const app = join(options.root, image.workdir);
  const running: RunningContainer[] = [];
  let db: TestDatabase;
  let venues: RunningVenues;
  let secrets: Record<string, string>;

  beforeAll(async () => {
    for (const path of [options.root, options.bin]) mkdirSync(path, { recursive: true });
    chmodSync(folder, 0o755);
    copyFileSync(realpathSync(denoProgram()), join(options.bin, 'deno'));
    chmodSync(join(options.bin, 'deno'), 0o755);
    build(image, readText(repository, '.dockerignore'), options);
    // Docker builds as root, and the service runs as another user.
    if (isRoot) chown('0:0');
    else spawnSync('chmod', ['-R', 'a-w', options.root]);
    [venues, db] = await Promise.all([startVenues('--games', '20'), createDatabase()]);
    secrets = {
      ...environmentFor(venues, db.url('parallax_ingest')),
      ...{ DB_URL_API: db.url('parallax_api'), DB_URL_STREAM: db.url('parallax_stream') },
      DB_URL_DELIVER: db.url('parallax_deliver'),
      // deploy.env has the limits of the functions as well. A container must not care.
      ...{ INGEST_CPU_SECONDS: '2', DELIVER_CPU_SECONDS: '2', STREAM_CPU_SECONDS: '2' },
      ...{ WALL_CLOCK_SECONDS: '150', STREAM_WALL_CLOCK_SECONDS: '150' },
    };
  }, TIMEOUT_MS);
  afterAll(async () => {
    for (const container of running) await container.kill();
    venues?.end();
    await db?.close();
    spawnSync('chmod', ['-R', 'u+w', folder]);
    rmSync(folder, { recursive: true, force: true });
  });

  const environmentOf = (service: ComposeService, port: number): Record<string, string> => ({
    PATH: pathOf(options),
    ...inside(image.env, image, options.root),
    ...secrets,
    ...service.environment,
    ...{ PORT: String(port), HEALTH_PORT: String(port) },
  });
  const spawnInside = (argv: readonly string[], env: Record<string, string>): ChildProcess => {
    const [program = '', ...args] = asUser(image.user, argv);
    return spawn(program, args, { cwd: app, env, stdio: ['ignore', 'pipe', 'pipe'] });
  };
  /** A health check, at the port in place of the container's. */
  const check = async (argv: readonly string[], port: number) => {
    const mapped = argv.map((part) => part.replaceAll(`:${PORT_IN_CONTAINER}`, `:${port}`));
    const child = spawnInside(mapped, { PATH: pathOf(options), ...inside(image.env, image, options.root) });
    return await new RunningContainer(child, port).exited;
  };

  test('has the packages of the functions and no others, and cannot be changed by its user', () => {
    const packages = readdirSync(join(app, '.deno/npm'), { recursive: true, encoding: 'utf8' });
    const named = [...new Set(packages.flatMap((path) => /^[^/]+\/((?:@[^/]+\/)?[^/@]+)\/\d/.exec(path)?.[1] ?? []))];
    const { npm } = JSON.parse(readText(repository, 'deno.lock')) as { npm: Record<string, unknown> };
    const locked = Object.keys(npm).map((name) => name.replace(/(?<=.)@.*$/, ''));
    expect(named.sort()).toEqual([...new Set(locked)].sort());
    expect(named).not.toContain('vitest');
    const script = 'touch x 2>/dev/null || touch .deno/x 2>/dev/null || touch functions/x 2>/dev/null';
    const [program = '', ...args] = asUser(image.user, ['/bin/sh', '-c', script]);
    expect(spawnSync(program, args, { cwd: app }).status).not.toBe(0);
  });

  test.each(Object.keys(services))(
    'runs %s with the command of compose.yaml until it is ready, and stops it with SIGTERM',
    async (name) => {
      const service = services[name];
      if (!service) throw new Error(`compose.yaml has no ${name}`);
      const port = await freePort();
      const child = spawnInside([...image.entrypoint, ...service.command], environmentOf(service, port));
      const container = new RunningContainer(child, port);
      running.push(container);
      await container.untilReady();
      for (const argv of [image.healthcheck, service.healthcheck.test.slice(1)]) {
        // Docker repeats a check that fails. A sweep of the listings may delay one.
        const isHealthy = async () => (await check(argv, port)) === 0;
        await waitUntil(isHealthy, { what: argv.join(' '), timeoutMs: 30_000, evidence: () => container.output });
      }
      if (name === 'api') expect((await fetch(`${container.base}/functions/v1/api/health`)).status).toBe(200);
      if (name === 'stream') expect((await fetch(`${container.base}/stream`)).status).toBe(426);
      const began = performance.now();
      container.signal('SIGTERM');
      expect(await container.exited, container.output).toBe(0);
      expect((performance.now() - began) / 1_000).toBeLessThan(secondsOf(service.stop_grace_period));
      expect(container.output).not.toMatch(/NotCapable|Requires \w+ access|PermissionDenied|Failed opening cache/i);
      expect(await check(image.healthcheck, port)).not.toBe(0);
    },
    TIMEOUT_MS,
  );

  test('is not built where a package has other bytes than deno.lock names', () => {
    const root = mkdtempSync(join(folder, 'tampered-'));
    mkdirSync(join(root, 'context'));
    chmodSync(root, 0o755);
    const lock = readText(repository, 'deno.lock').replace(/("pg@8[^}]*"integrity": "sha512-)./, '$1_');
    const script = 'cat > deno.lock';
    spawnSync('/bin/sh', ['-c', script], { cwd: join(root, 'context'), input: lock });
    const onlyPackages = { ...image, steps: image.steps.slice(0, 2) };
    const tampered = {
      ...options,
      context: join(root, 'context'),
      root: join(root, 'root'),
      as: (argv: readonly string[]) => [...argv],
      afterCopy: () => {},
    };
    expect(() => build(onlyPackages, '*\n!deno.lock', tampered)).toThrow(/checksum did not match/);
  });
});
