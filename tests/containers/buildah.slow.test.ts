import { spawnSync } from 'node:child_process';
import { copyFileSync, cpSync, existsSync, mkdirSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { denoProgram, repository } from '../../local/platform/postgres/binaries.ts';
import { temporaryFolder } from '../support/temporary_folder.ts';
import { readImage, readText } from './dockerfile.ts';

// Guarantee: a real image builder accepts the Dockerfile and makes an image of it. The base image
// is not within reach, so the test makes one of the same name from this machine's Deno and shell.

const folder = temporaryFolder('buildah');
const storage = ['--storage-driver', 'vfs', '--root', join(folder, 'root'), '--runroot', join(folder, 'run')];
const policy = join(folder, 'policy.json');
const env = { ...process.env, BUILDAH_ISOLATION: 'chroot', CONTAINERS_CONF: join(folder, 'containers.conf') };
writeFileSync(join(folder, 'containers.conf'), '[engine]\n');
const run = (program: string, args: readonly string[]) =>
  spawnSync(program, args, { cwd: repository, env, encoding: 'utf8' });

function buildah(command: string, ...args: readonly string[]): string {
  const { status, stdout, stderr } = run('buildah', [...storage, command, ...args]);
  if (status !== 0) throw new Error(`buildah ${command} ended with ${status}: ${stderr}`);
  return stdout.trim();
}

const canBuild =
  process.getuid?.() === 0 &&
  run('unshare', ['--mount', 'true']).status === 0 &&
  run('buildah', ['--version']).status === 0;
if (!canBuild)
  console.log('tests/containers/buildah.slow.test.ts is skipped: it needs root, mounts and the Debian package buildah');
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Deno, a shell and the libraries of both, certificates and the two users. */
function writeBase(root: string): void {
  const libraries = join(root, 'usr/lib/x86_64-linux-gnu');
  for (const path of ['usr/bin', 'etc/ssl/certs', 'lib64', 'tmp', 'proc', 'sys', 'dev'])
    mkdirSync(join(root, path), { recursive: true });
  mkdirSync(libraries, { recursive: true });
  for (const name of ['bin', 'lib']) symlinkSync(`usr/${name}`, join(root, name));
  const deno = realpathSync(denoProgram());
  copyFileSync(deno, join(root, 'usr/bin/deno'));
  copyFileSync(realpathSync('/bin/sh'), join(root, 'usr/bin/sh'));
  const linked = run('ldd', [deno, '/bin/sh']).stdout.match(/\/lib\S+/g) ?? [];
  for (const path of new Set(linked))
    copyFileSync(
      realpathSync(path),
      join(root, path.startsWith('/lib64') ? 'lib64' : 'usr/lib/x86_64-linux-gnu', basename(path)),
    );
  for (const path of ['/etc/nsswitch.conf', '/etc/ssl/certs/ca-certificates.crt'])
    if (existsSync(path)) cpSync(path, join(root, path), { dereference: true });
  writeFileSync(join(root, 'etc/passwd'), 'root:x:0:0::/:/bin/sh\ndeno:x:1993:1993::/:/bin/sh\n');
  writeFileSync(join(root, 'etc/group'), 'root:x:0:\ndeno:x:1993:\n');
}

test.skipIf(!canBuild)(
  'buildah makes an image of the Dockerfile, with the user, commands and checks that it names',
  () => {
    writeFileSync(policy, JSON.stringify({ default: [{ type: 'insecureAcceptAnything' }] }));
    const described = readImage(readText(repository, 'Dockerfile'));
    writeBase(join(folder, 'base'));
    const base = buildah('from', 'scratch');
    buildah('copy', '--quiet', base, join(folder, 'base'), '/');
    const registry = process.env.npm_config_registry ?? 'https://registry.npmjs.org/';
    const variables = {
      PATH: '/usr/bin:/bin',
      DENO_TLS_CA_STORE: 'system,mozilla',
      SSL_CERT_FILE: '/etc/ssl/certs/ca-certificates.crt',
      NPM_CONFIG_REGISTRY: registry,
    };
    buildah('config', ...Object.entries(variables).flatMap(([name, value]) => ['--env', `${name}=${value}`]), base);
    buildah('commit', '--quiet', '--signature-policy', policy, base, `docker.io/${described.base}`);
    const local = ['--signature-policy', policy, '--registries-conf', '/dev/null', '--pull=never'];
    buildah('bud', ...local, '--format', 'docker', '--tag', 'parallax', repository);
    const { Docker } = JSON.parse(buildah('inspect', '--type', 'image', 'localhost/parallax')) as {
      Docker: { config: object };
    };
    expect(Docker.config).toMatchObject({
      ...{ User: described.user, WorkingDir: '/app', StopSignal: 'SIGTERM', ExposedPorts: { '8000/tcp': {} } },
      ...{ Entrypoint: described.entrypoint, Cmd: described.command },
      Healthcheck: { Test: ['CMD', ...described.healthcheck], Retries: 3 },
    });
    const image = buildah('from', ...local, 'localhost/parallax');
    const inside = (script: string) => buildah('run', image, '--', '/bin/sh', '-c', script);
    expect(inside('cd /app && echo functions/* && test ! -w . && test ! -w .deno && test ! -w functions')).toContain(
      'functions/healthcheck.ts',
    );
    const check = 'deno run --no-config --cached-only --no-prompt functions/healthcheck.ts 2>&1 || true';
    expect(inside(check)).toContain('Invalid URL');
  },
  180_000,
);
