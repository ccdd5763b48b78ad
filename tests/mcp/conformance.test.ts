import { spawn } from 'node:child_process';
import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { denoProgram, repository } from '../../local/platform/postgres/binaries.ts';
import type { World } from '../api/support/fixture.ts';
import { temporaryFolder } from '../support/temporary_folder.ts';
import { startKeyProxy } from './support/key_proxy.ts';
import { makeAgentWorld } from './support/fixture.ts';

// The official suite for servers, all of its scenarios for each revision. Many of them call a tool, prompt or resource of the suite's
// own, by its name, which no server but an example has; what these say is looked at, so that a fault of ours cannot hide behind it.

let world: World;
let door: Awaited<ReturnType<typeof startKeyProxy>>;
let folder: string;
beforeAll(async () => {
  world = await makeAgentWorld();
  // The suite has no option for a header.
  door = await startKeyProxy(world, await world.key('pro'));
  folder = temporaryFolder('conformance');
});
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true });
  await door.close();
  await world.close();
});

type Check = { id: string; status: string; errorMessage?: string; details?: { untestable?: boolean } };

/** Why a check of the suite need not hold here; anything else that fails is a fault. */
const excused: readonly [reason: string, holds: (scenario: string, check: Check) => boolean][] = [
  [
    'the suite’s own tool, prompt or resource is not here',
    (_, { errorMessage = '' }) =>
      /Resource not found: test:|There is no such (?:tool|prompt)|Tool '?\w+'? not found|not found in (tools|prompts)/.test(
        errorMessage,
      ),
  ],
  ['the suite says itself that it cannot be tried here', (_, { details }) => details?.untestable === true],
  [
    'logging, completion and subscriptions to resources are not offered',
    (scenario, { errorMessage = '' }) =>
      /^(logging-set-level|completion-complete|resources-(un)?subscribe|tools-call-with-logging)$/.test(scenario) &&
      /Method not found|-32601/.test(errorMessage),
  ],
  [
    'there are no sessions, so no streams to resume',
    (_, check) => /^server-sse-(polling|multiple-streams)-session$/.test(check.id),
  ],
  [
    'no tool of ours asks its caller anything back',
    (_, check) => /^sep-2322-(missing-response-rerequests|multi-round-r1|reject-tampered-state)$/.test(check.id),
  ],
  // Rebinding of DNS gains nothing where each request needs a key that the browser does not send by itself; contract.md lets any origin call.
  ['any origin may call with a key', (scenario) => scenario === 'dns-rebinding-protection'],
];

/** What must have passed, so that nothing is excused into silence. */
const owed: Record<string, string[]> = {
  '2025-06-18': ['server-initialize', 'ping', 'tools-list', 'resources-list', 'prompts-list'],
  '2025-11-25': ['server-initialize', 'ping', 'tools-list', 'resources-list', 'prompts-list'],
  '2026-07-28': [
    ...['server-stateless', 'tools-list', 'resources-list', 'prompts-list', 'caching', 'http-header-validation'],
    ...['sep-2164-resource-not-found', 'server-sse-multiple-streams', 'input-required-result-unsupported-methods'],
  ],
};

test.each(Object.keys(owed))(
  'the official suite finds no fault in what is served of %s',
  { timeout: 180_000 },
  async (revision) => {
    const results = join(folder, revision);
    const said = await runSuite([
      'server',
      '--url',
      door.url,
      '--suite',
      'all',
      '--spec-version',
      revision,
      '-o',
      results,
    ]);
    const passed: Record<string, number> = {};
    const faults: string[] = [];
    const excuses: Record<string, number> = {};
    for (const [scenario, checks] of resultsIn(results)) {
      passed[scenario] = checks.filter((check) => check.status === 'SUCCESS').length;
      for (const check of checks.filter((one) => one.status === 'FAILURE' || one.status === 'WARNING')) {
        const excuse = excused.find(([, holds]) => holds(scenario, check));
        if (excuse) excuses[excuse[0]] = (excuses[excuse[0]] ?? 0) + 1;
        else faults.push(`${scenario} / ${check.id}: ${check.errorMessage}`);
      }
    }
    const count = Object.values(passed).reduce((sum, one) => sum + one, 0);
    console.info(
      `${revision}: ${count} checks passed in ${Object.keys(passed).length} scenarios; not for us:`,
      excuses,
    );
    expect(faults, said.slice(-2_000)).toEqual([]);
    for (const scenario of owed[revision] ?? []) expect(passed[scenario], scenario).toBeGreaterThan(0);
  },
);

function resultsIn(results: string): [scenario: string, checks: Check[]][] {
  return readdirSync(results).map((name) => {
    const scenario = name.replace(/^server-/, '').replace(/-\d{4}-\d{2}-\d{2}T[\dZ-]+$/, '');
    return [scenario, JSON.parse(readFileSync(join(results, name, 'checks.json'), 'utf8')) as Check[]];
  });
}

function runSuite(args: string[]): Promise<string> {
  const program = join(repository, 'node_modules/@modelcontextprotocol/conformance/dist/index.js');
  // It wants Node 22; Deno has what it wants.
  const suite = spawn(denoProgram(), ['run', '-A', program, ...args], {
    cwd: repository,
    env: { ...process.env, NO_COLOR: '1' },
  });
  let said = '';
  const keep = (chunk: Buffer) => {
    said += chunk;
  };
  suite.stdout.on('data', keep);
  suite.stderr.on('data', keep);
  return new Promise((resolve, reject) => {
    suite.on('error', reject);
    suite.on('exit', () => resolve(said));
  });
}
