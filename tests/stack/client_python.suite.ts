import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ApiDocument, toReference } from '../../dashboard/src/docs/document.ts';
import { repository } from '../../local/platform/postgres/binaries.ts';
import { parseCurl, sampleOf, sentRequest } from '../dashboard/support/sample_requests.ts';
import type { RunningStack } from '../support/stack.ts';
import { temporaryFolder } from '../support/temporary_folder.ts';
import { samplesOfStack } from './samples.ts';
import { untilFastForwardEnds } from './simulator.ts';

// A user's first environment: the Python package is built and installed from the archive. The
// programs of docs/client_python.md and the samples of the reference run against the stack.

const guide = readFileSync(join(repository, 'docs/client_python.md'), 'utf8');
const programs = [...guide.matchAll(/```python\n([\s\S]*?)```/g)].map(([, text = '']) => text);

const python = (file: string, ...args: string[]) =>
  spawnSync(file, args, { encoding: 'utf8', env: { ...process.env, PIP_DISABLE_PIP_VERSION_CHECK: '1' } });

const version = python('python3', '--version').stdout ?? '';
const isOldPython = !/ 3\.1[1-9]/.test(version);
if (isOldPython) console.log('tests/stack/client_python.suite.ts is skipped: no Python 3.11 on the PATH.');

/**
 * `at` returns the stack once it is ready. `pandas`: also with pandas, which takes more time to
 * install than all the rest.
 */
export const clientPythonSuite = (at: () => RunningStack, { pandas }: { pandas: boolean }) =>
  describe.skipIf(isOldPython)('the Python client in a new environment', () => {
    let folder: string;
    let own: string;
    let environment: NodeJS.ProcessEnv;

    beforeAll(async () => {
      await untilFastForwardEnds(at());
      folder = temporaryFolder('python-client');
      const done = (run: ReturnType<typeof python>) => expect(run.status, run.stderr).toBe(0);
      done(python('python3', '-m', 'venv', join(folder, 'venv')));
      own = join(folder, 'venv/bin/python');
      const archives = join(folder, 'archives');
      mkdirSync(archives);
      const package_ = join(repository, 'client/python');
      done(python(own, '-m', 'pip', 'wheel', '--quiet', '--no-deps', '--wheel-dir', archives, package_));
      const [archive = ''] = readdirSync(archives);
      expect(archive).toBe('parallax_client-2.0.0-py3-none-any.whl');
      done(
        python(own, '-m', 'pip', 'install', '--quiet', join(archives, archive), ...(pandas ? ['pandas==3.1.1'] : [])),
      );
      for (const [n, text] of programs.entries()) writeFileSync(join(folder, `program_${n}.py`), text);
      environment = {
        ...process.env,
        PARALLAX_API: at().baseUrl,
        PARALLAX_KEY: await at().key('pro', 'python client'),
      };
    });
    afterAll(() => {
      if (folder) rmSync(folder, { recursive: true, force: true });
    });

    const run = (n: number) => {
      const { status, stdout, stderr } = spawnSync(own, [`program_${n}.py`], {
        cwd: folder,
        encoding: 'utf8',
        env: environment,
        timeout: 240_000,
      });
      expect([status, stderr]).toEqual([0, '']);
      return stdout;
    };

    it('reads markets and raises the code of the service', () => {
      expect(programs.length).toBe(4);
      const lines = run(0).trim().split('\n');
      expect([lines.length, lines.at(-1)]).toEqual([4, '404 pair.not_found']);
    });

    it.runIf(pandas)('makes a table of all asks with pandas', () => {
      const printed = run(1);
      expect(printed).toMatch(/competition +\n/);
      expect(printed).toMatch(/title +outcome +venue_a +venue_b +gap/);
    });

    it('follows the stream from its state', () => {
      expect(run(2)).toMatch(/^markets:all \d\d+ markets \d+ open opportunities\n/);
    });

    it('runs the sample of every GET endpoint of the reference, and each prints an object', async () => {
      const samples = await samplesOfStack(at(), 'python', 'python samples');
      expect(Object.keys(samples).length).toBeGreaterThan(15);
      const printed = runAll(own, RUN_SAMPLES, samples);
      expect(printed).toEqual(Object.fromEntries(Object.keys(samples).map((id) => [id, 'dict'])));
    });

    it('sends with the sample of every endpoint what its curl sample sends', async () => {
      const document = await at().get<ApiDocument>('/openapi.json', await at().key('pro', 'python samples'));
      const endpoints = toReference(document).sections.flatMap((section) => section.endpoints);
      const text = (language: 'curl' | 'python') =>
        Object.fromEntries(endpoints.map((endpoint) => [endpoint.id, sampleOf(endpoint, language, NOTED)]));
      const sent = runAll(own, NOTE_REQUESTS, text('python')) as Record<string, Noted>;
      const curls = text('curl');
      expect(Object.keys(sent)).toEqual(Object.keys(curls));
      for (const [id, { method, url, headers, body }] of Object.entries(sent)) {
        expect(sentRequest(method, url, new Headers(headers), body), id).toEqual(parseCurl(curls[id] ?? ''));
      }
    });

    it('verifies a webhook', () => {
      expect(run(3).trim()).toBe('Message timestamp too old');
    });
  });

type Noted = { method: string; url: string; headers: Record<string, string>; body: string };

/** Base URL in samples that a server of the test itself receives. */
const NOTED = 'http://noted.test/functions/v1/api';

/** Runs a program that reads samples by id and prints JSON. */
function runAll(own: string, program: string, samples: Readonly<Record<string, string>>): Record<string, unknown> {
  const input = JSON.stringify(samples);
  const { status, stdout, stderr } = spawnSync(own, ['-c', program], { input, encoding: 'utf8', timeout: 240_000 });
  expect([status, stderr]).toEqual([0, '']);
  return JSON.parse(stdout) as Record<string, unknown>;
}

/** The type of what each sample prints. */
const RUN_SAMPLES = `
import json, sys

printed = {}
for name, text in json.load(sys.stdin).items():
    values = []
    exec(compile(text, name, "exec"), {"print": values.append})
    printed[name] = " ".join(type(value).__name__ for value in values)
print(json.dumps(printed))
`;

/** The request of each sample, from a server that notes it. */
const NOTE_REQUESTS = `
import http.server, json, sys, threading

received = []

class Handler(http.server.BaseHTTPRequestHandler):
    def answer(self):
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0)).decode()
        received.append({"method": self.command, "url": self.path, "headers": dict(self.headers), "body": body})
        self.send_response(200)
        self.send_header("Content-Length", "2")
        self.end_headers()
        self.wfile.write(b"{}")

    do_GET = do_POST = do_PATCH = do_DELETE = answer

    def log_message(self, *_):
        pass

server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
threading.Thread(target=server.serve_forever, daemon=True).start()
sent = {}
for name, text in json.load(sys.stdin).items():
    own = text.replace("noted.test", f"127.0.0.1:{server.server_port}")
    exec(compile(own, name, "exec"), {"print": lambda value: None})
    sent[name] = received.pop()
print(json.dumps(sent))
`;
