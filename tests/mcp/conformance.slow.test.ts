import { spawn } from 'node:child_process';
import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { denoProgram, repository } from '../../local/platform/postgres/binaries.ts';
import type { ApiFixture } from '../api/support/fixture.ts';
import { temporaryFolder } from '../support/temporary_folder.ts';
import { createMcpFixture } from './support/fixture.ts';
import { startKeyProxy } from './support/key_proxy.ts';

// The official conformance suite for servers, with all scenarios of each revision. Many scenarios
// call a tool, prompt or resource that only the example server of the suite has. Their messages are
// checked, so that a defect of this server cannot hide behind them.

let world: ApiFixture;
let proxy: Awaited<ReturnType<typeof startKeyProxy>>;
let folder: string;
beforeAll(async () => {
  world = await createMcpFixture();
  // The suite cannot send a header.
  proxy = await startKeyProxy(world, await world.key('pro'));
  folder = temporaryFolder('conformance');
});
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true });
  await proxy.close();
  await world.close();
});

type Check = { id: string; status: string; errorMessage?: string; details?: { untestable?: boolean } };

/** Checks that do not apply to this server. Any other failed check is a defect. */
const NOT_APPLICABLE: readonly [reason: string, matches: (scenario: string, check: Check) => boolean][] = [
  [
    'this server does not have the tool, prompt or resource of the suite',
    (_, { errorMessage = '' }) =>
      /Resource not found: test:|There is no such (?:tool|prompt)|Tool '?\w+'? not found|not found in (tools|prompts)/.test(
        errorMessage,
      ),
  ],
  ['the suite marks the check as untestable', (_, { details }) => details?.untestable === true],
  [
    'this server has no logging, completion or subscriptions to resources',
    (scenario, { errorMessage = '' }) =>
      /^(logging-set-level|completion-complete|resources-(un)?subscribe|tools-call-with-logging)$/.test(scenario) &&
      /Method not found|-32601/.test(errorMessage),
  ],
  [
    'this server has no sessions, so no streams to resume',
    (_, check) => /^server-sse-(polling|multiple-streams)-session$/.test(check.id),
  ],
  [
    'no tool of this server requests input from its caller',
    (_, check) => /^sep-2322-(missing-response-rerequests|multi-round-r1|reject-tampered-state)$/.test(check.id),
  ],
  // DNS rebinding gains nothing: each request needs a key that the browser does not send by itself.
  // contract.md allows any origin.
  ['any origin may call with a key', (scenario) => scenario === 'dns-rebinding-protection'],
];

/** Scenarios that must pass at least one check. */
const REQUIRED: Record<string, string[]> = {
  '2025-06-18': ['server-initialize', 'ping', 'tools-list', 'resources-list', 'prompts-list'],
  '2025-11-25': ['server-initialize', 'ping', 'tools-list', 'resources-list', 'prompts-list'],
  '2026-07-28': [
    ...['server-stateless', 'tools-list', 'resources-list', 'prompts-list', 'caching', 'http-header-validation'],
    ...['sep-2164-resource-not-found', 'server-sse-multiple-streams', 'input-required-result-unsupported-methods'],
  ],
};

test.each(Object.keys(REQUIRED))('the official conformance suite finds no defect in revision %s', async (revision) => {
  const results = join(folder, revision);
  const output = await runSuite([
    'server',
    '--url',
    proxy.url,
    '--suite',
    'all',
    '--spec-version',
    revision,
    '-o',
    results,
  ]);
  const passed: Record<string, number> = {};
  const defects: string[] = [];
  const skipped: Record<string, number> = {};
  for (const [scenario, checks] of resultsIn(results)) {
    passed[scenario] = checks.filter((check) => check.status === 'SUCCESS').length;
    for (const check of checks.filter((one) => one.status === 'FAILURE' || one.status === 'WARNING')) {
      const reason = NOT_APPLICABLE.find(([, matches]) => matches(scenario, check));
      if (reason) skipped[reason[0]] = (skipped[reason[0]] ?? 0) + 1;
      else defects.push(`${scenario} / ${check.id}: ${check.errorMessage}`);
    }
  }
  const count = Object.values(passed).reduce((sum, one) => sum + one, 0);
  console.info(
    `${revision}: ${count} checks passed in ${Object.keys(passed).length} scenarios; not applicable:`,
    skipped,
  );
  expect(defects, output.slice(-2_000)).toEqual([]);
  for (const scenario of REQUIRED[revision] ?? []) expect(passed[scenario], scenario).toBeGreaterThan(0);
});

function resultsIn(results: string): [scenario: string, checks: Check[]][] {
  return readdirSync(results).map((name) => {
    const scenario = name.replace(/^server-/, '').replace(/-\d{4}-\d{2}-\d{2}T[\dZ-]+$/, '');
    return [scenario, JSON.parse(readFileSync(join(results, name, 'checks.json'), 'utf8')) as Check[]];
  });
}

function runSuite(args: string[]): Promise<string> {
  const program = join(repository, 'node_modules/@modelcontextprotocol/conformance/dist/index.js');
  // The suite needs Node 22. Deno provides the same functions.
  const suite = spawn(denoProgram(), ['run', '-A', program, ...args], {
    cwd: repository,
    env: { ...process.env, NO_COLOR: '1' },
  });
  let output = '';
  const keep = (chunk: Buffer) => {
    output += chunk;
  };
  suite.stdout.on('data', keep);
  suite.stderr.on('data', keep);
  return new Promise((resolve, reject) => {
    suite.on('error', reject);
    suite.on('exit', () => resolve(output));
  });
}
