import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { repository } from '../../local/platform/postgres/binaries.ts';
import type { RunningStack } from '../support/stack.ts';
import { temporaryFolder } from '../support/temporary_folder.ts';
import { type Samples, samplesOfStack } from './samples.ts';
import { untilFastForwardEnds } from './simulator.ts';

// A user's first project: the client package is packed and installed from the archive. The programs
// of docs/client.md and the samples of the reference are compiled with its types and run against
// the stack.

const npm = (folder: string, ...args: string[]) =>
  spawnSync('npm', [...args, '--no-audit', '--no-fund', '--prefer-offline'], { cwd: folder, encoding: 'utf8' });

const guide = readFileSync(join(repository, 'docs/client.md'), 'utf8');
const programs = [...guide.matchAll(/```ts\n([\s\S]*?)```/g)].map(([, text = '']) => text);

/** `at` returns the stack once it is ready. */
export const clientSuite = (at: () => RunningStack) =>
  describe('the client package in a new project', () => {
    let project: string;
    let environment: NodeJS.ProcessEnv;
    let samples: Samples;

    beforeAll(async () => {
      await untilFastForwardEnds(at());
      project = temporaryFolder('client-project');
      const packed = npm(join(repository, 'client'), 'pack', '--pack-destination', project);
      expect(packed.status, packed.stderr).toBe(0);
      const archive = readdirSync(project).find((name) => name.endsWith('.tgz'));
      expect(archive).toBe('parallax-client-2.0.0.tgz');
      writeFileSync(join(project, 'package.json'), '{"type":"module","private":true}');
      const installed = npm(project, 'install', `./${archive}`);
      expect(installed.status, installed.stderr).toBe(0);
      mkdirSync(join(project, 'src'));
      for (const [n, text] of programs.entries()) writeFileSync(join(project, 'src', `program_${n}.ts`), text);
      samples = await samplesOfStack(at(), 'typescript', 'client samples');
      for (const [id, text] of Object.entries(samples)) writeFileSync(join(project, 'src', `sample_${id}.ts`), text);
      environment = { ...process.env, PARALLAX_API: at().baseUrl, PARALLAX_KEY: await at().key('pro', 'client') };
    });
    afterAll(() => {
      if (project) rmSync(project, { recursive: true, force: true });
    });

    const run = (n: number) => {
      const file = join(project, 'dist', `program_${n}.js`);
      const { status, stdout, stderr } = spawnSync(process.execPath, [file], {
        cwd: project,
        encoding: 'utf8',
        env: environment,
        timeout: 240_000,
      });
      expect([status, stderr]).toEqual([0, '']);
      return stdout;
    };

    it('compiles the programs of the guide and the samples of the reference with the types of the package', () => {
      const options = ['--strict', '--target', 'es2022', '--module', 'nodenext', '--outDir', 'dist'];
      const types = ['--types', 'node', '--typeRoots', join(repository, 'node_modules/@types')];
      const files = readdirSync(join(project, 'src')).map((name) => join('src', name));
      const compiler = join(repository, 'node_modules/.bin/tsc');
      const compiled = spawnSync(compiler, [...options, ...types, ...files], { cwd: project, encoding: 'utf8' });
      expect(compiled.stdout).toBe('');
      expect([compiled.status, programs.length]).toEqual([0, 4]);
    });

    it('runs the TypeScript sample of every GET endpoint of the reference, and each prints an object', () => {
      const ids = Object.keys(samples);
      expect(ids.length).toBeGreaterThan(15);
      const { status, stdout, stderr } = spawnSync(process.execPath, ['--input-type=module'], {
        cwd: project,
        encoding: 'utf8',
        input: `const ids = ${JSON.stringify(ids)};\n${RUN_SAMPLES}`,
        timeout: 240_000,
      });
      expect([status, stderr]).toEqual([0, '']);
      expect(JSON.parse(stdout)).toEqual(Object.fromEntries(ids.map((id) => [id, 'object'])));
    });

    it('runs the curl sample of every GET endpoint of the reference, and each prints its JSON', async () => {
      const curls = await samplesOfStack(at(), 'curl', 'curl samples');
      expect(Object.keys(curls)).toEqual(Object.keys(samples));
      for (const [id, text] of Object.entries(curls)) {
        const { status, stdout, stderr } = spawnSync('sh', ['-c', text], { encoding: 'utf8', timeout: 240_000 });
        expect([id, status, stderr]).toEqual([id, 0, '']);
        expect(JSON.parse(stdout), id).not.toHaveProperty('error');
      }
    });

    it('reads markets and throws the code of the service', () => {
      const lines = run(0).trim().split('\n');
      expect(lines.at(-1)).toBe('404 pair.not_found');
      expect(lines.length).toBeGreaterThanOrEqual(4);
    });

    it('reads all pages', async () => {
      const found = Number(/(\d+) markets/.exec(run(1))?.[1]);
      const page = await at().get<{ count: number; has_more: boolean }>(
        '/v2/markets?sport=football&limit=500',
        await at().key('pro', 'client counts'),
      );
      expect([page.has_more, page.count > 0]).toEqual([false, true]);
      // A market may start or end between the two.
      expect(Math.abs(found - page.count)).toBeLessThanOrEqual(3);
    });

    it('follows the stream from its state', () => {
      expect(run(2)).toMatch(/^markets:all \d\d+ markets \d+ open opportunities\n/);
    });

    it('verifies a webhook', () => {
      expect(run(3).trim()).toBe('Message timestamp too old');
    });
  });

/** Imports each sample of `ids` and prints the type of what it prints. */
const RUN_SAMPLES = `
const printed = {};
const log = console.log;
for (const id of ids) {
  console.log = (value) => {
    printed[id] = typeof value;
  };
  await import(new URL('dist/sample_' + id + '.js', 'file://' + process.cwd() + '/'));
}
log(JSON.stringify(printed));
`;
