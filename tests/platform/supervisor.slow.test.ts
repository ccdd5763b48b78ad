import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import postgres from 'postgres';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { variableReaders } from '../../local/platform/functions/environment.ts';
import { repository } from '../../local/platform/postgres/binaries.ts';
import { freePort } from '../../local/platform/postgres/postgres.ts';
import { tsxArguments } from '../../local/platform/supervisor/venues.ts';
import { collectLines, descendants } from '../support/stack.ts';
import { temporaryFolder } from '../support/temporary_folder.ts';
import { waitUntil } from '../support/wait_until.ts';

// The real `npm start` with unreachable venues: tests which processes start and end.
const folder = temporaryFolder('stack');
const data = join(folder, 'data');
let port: number;
const nowhere = 'http://127.0.0.1:9';
const env = {
  ...process.env,
  VENUE_A_REST_URL: nowhere,
  VENUE_A_WS_URL: 'ws://127.0.0.1:9',
  VENUE_B_GAMMA_URL: nowhere,
  VENUE_B_CLOB_URL: nowhere,
  VENUE_B_DATA_URL: nowhere,
  VENUE_B_WS_URL: 'ws://127.0.0.1:9',
};

type Run = {
  child: ChildProcess;
  lines: string[];
  ended: Promise<{ code: number | null; signal: NodeJS.Signals | null }>;
};
const runs: Run[] = [];

function start(args: string[] = []): Run {
  const child = spawn(
    process.execPath,
    [
      ...tsxArguments,
      join(repository, 'local/cli.ts'),
      'start',
      '--live',
      '--data',
      data,
      '--port',
      String(port),
      ...args,
    ],
    {
      cwd: repository,
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  );
  const lines = collectLines(child);
  const run = {
    child,
    lines,
    ended: new Promise<{ code: number | null; signal: NodeJS.Signals | null }>((resolve) =>
      child.once('close', (code, signal) => resolve({ code, signal })),
    ),
  };
  runs.push(run);
  return run;
}

const until = <T>(what: string, condition: () => T | Promise<T>, seconds = 60) =>
  waitUntil(condition, {
    what,
    timeoutMs: seconds * 1_000,
    evidence: () => runs.at(-1)?.lines.join('\n') ?? '',
  });

const line = (run: Run, pattern: RegExp) => until(String(pattern), () => run.lines.find((text) => pattern.test(text)));
const everything = (run: Run) =>
  Promise.all(
    [/^postgres/, /^migrations/, /^auth\+rest/, /^realtime/, /^jobs/, /^functions\/api/, /^functions\/ingest/].map(
      (pattern) => line(run, pattern),
    ),
  );

const family = (root: number) => descendants(root).filter((row) => !row.command.startsWith('ps '));

const alive = (pid: number) => {
  // A zombie has ended; its parent has not read its status yet.
  const state = spawnSync('ps', ['-o', 'stat=', '-p', String(pid)], { encoding: 'utf8' }).stdout.trim();
  return state !== '' && !state.startsWith('Z');
};
const noneOf = (pids: number[]) => until('the end of all processes', () => !pids.some(alive));

/** The variables of each running function that are in the table of docs/deploy.md. */
function variablesOfFunctions(root: number): Record<string, string[]> {
  const workers = family(root).filter((row) => /deno run .*functions\/(serve|stream\/container)\.ts/.test(row.command));
  return Object.fromEntries(
    workers.map(({ pid, command }) => {
      const env = readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0');
      const names = env.map((entry) => entry.slice(0, entry.indexOf('=')));
      const name = /functions\/([a-z]+)\/(index|container)\.ts/.exec(`${command}\n${env.join('\n')}`)?.[1] ?? '';
      return [name, names.filter((variable) => variable in variableReaders).sort()];
    }),
  );
}

const secrets = () => JSON.parse(readFileSync(join(data, 'secrets.json'), 'utf8'));
const owner = (run: Run) => {
  const at = /127\.0\.0\.1:(\d+)/.exec(run.lines.find((text) => text.startsWith('postgres')) ?? '')?.[1];
  return postgres(`postgres://postgres:${secrets().postgres}@127.0.0.1:${at}/parallax`, { max: 1, onnotice: () => {} });
};

beforeAll(async () => {
  port = await freePort();
});
afterAll(async () => {
  for (const run of runs) {
    if (run.child.exitCode === null && run.child.signalCode === null) run.child.kill('SIGTERM');
    await run.ended;
  }
  rmSync(folder, { recursive: true, force: true });
});

test('a stack restarts each killed process, leaves none when the supervisor is killed, keeps its data, and stops in order', async () => {
  const first = start();
  await everything(first);
  const root = first.child.pid ?? 0;
  const anyone = () => fetch(`http://127.0.0.1:${port}/auth/v1/health`, { headers: { apikey: secrets().publishable } });
  expect((await anyone()).status).toBeLessThan(500);

  let sql = owner(first);
  await sql`create table public.kept (id int primary key)`;
  await sql`insert into public.kept values (1)`;
  await sql`select cron.schedule('tick', '1 second', 'insert into public.kept select max(id) + 1 from public.kept')`;
  await until('the first tick', async () => ((await sql`select from public.kept`).length > 1 ? true : undefined));

  // A second start while the first stack runs.
  const twice = start(['--port', String(await freePort())]);
  expect((await twice.ended).code).toBe(1);
  expect(twice.lines.join('\n')).toMatch(
    /^A stack already runs on .*\. Stop it first, or start this one with another --data and --port\.$/,
  );

  for (const [name, program] of [
    ['auth+rest', /auth\/main\.ts/],
    ['realtime', /realtime\/main\.ts/],
    ['jobs', /jobs\/main\.ts/],
    ['postgres', /native\/bin\/postgres -D/],
    ['reaper', /reaper\.sh/],
    ['functions/[a-z]+', /functions\/serve\.ts/],
  ] as const) {
    const victim = family(root).find((row) => program.test(row.command));
    expect(victim, name).toBeDefined();
    process.kill(victim?.pid ?? 0, 'SIGKILL');
    const pattern = name === 'auth+rest' ? 'auth\\+rest' : name;
    await line(first, new RegExp(`^${pattern}: died`));
    if (name !== 'reaper') await line(first, new RegExp(`^${pattern}: up again`));
  }
  const [before] = await until('rows after recovery', () =>
    sql<{ n: number }[]>`select count(*)::int as n from public.kept`.catch(() => undefined),
  );
  expect(before?.n).toBeGreaterThan(1);
  await until('ticks after all that', async () =>
    (await sql`select from public.kept`).length > (before?.n ?? 0) ? true : undefined,
  );
  expect((await anyone()).status).toBeLessThan(500);
  expect((await fetch(`http://127.0.0.1:${port}/functions/v1/api/health`)).status).toBe(200);
  await sql.end();

  // The supervisor itself is killed without a shutdown.
  const orphans = family(root).map((row) => row.pid);
  expect(orphans.length).toBeGreaterThan(4);
  first.child.kill('SIGKILL');
  await noneOf(orphans);

  const second = start();
  await everything(second);
  expect(second.lines.join('\n')).toContain('up to date');
  sql = owner(second);
  const [after] = await sql<{ n: number }[]>`select count(*)::int as n from public.kept`;
  expect(after?.n).toBeGreaterThanOrEqual(before?.n ?? 0);
  await sql.end();
  const children = family(second.child.pid ?? 0).map((row) => row.pid);
  second.child.kill('SIGINT');
  expect(await second.ended).toEqual({ code: 0, signal: null });
  await noneOf(children);
});

test.each([/^gateway/, /creating a new database/, /applying/])(
  'npm start leaves no process when it is interrupted at %s',
  async (moment) => {
    rmSync(data, { recursive: true, force: true });
    const run = start();
    await line(run, moment);
    run.child.kill('SIGTERM');
    expect(await run.ended).toEqual({ code: 0, signal: null });
    // Every process that it started has the folder on its command line, or has it open through
    // Postgres.
    await until(
      'the end of all processes',
      () => !spawnSync('ps', ['-A', '-o', 'command='], { encoding: 'utf8' }).stdout.includes(folder),
    );
  },
);

test('npm start reports a port in use in one sentence, exits 1 and leaves no process', async () => {
  const squatter = createServer().listen(port, '127.0.0.1');
  try {
    const run = start();
    expect((await run.ended).code).toBe(1);
    expect(run.lines).toEqual([`Another program uses port ${port}. Stop it, or start with --port N.`]);
  } finally {
    squatter.close();
  }
});

test('npm run key prints a key for the stack at a port, and reports each error in one sentence', async () => {
  const key = (args: string[]) =>
    spawnSync(process.execPath, [...tsxArguments, join(repository, 'local/cli.ts'), 'key', ...args], {
      cwd: folder,
      encoding: 'utf8',
    });
  expect(key(['--port', String(port)])).toMatchObject({
    status: 1,
    stderr: expect.stringMatching(/^No stack runs at port \d+\. Start it/),
  });
  expect(key(['--prot', '1'])).toMatchObject({ status: 1, stderr: expect.stringContaining('Options: --tier --org') });

  const run = start();
  await everything(run);
  const minted = await until('a key', () => {
    const made = key(['--tier', 'pro', '--port', String(port)]);
    return made.status === 0 ? made : undefined;
  });
  const last = minted.stdout.trim().split('\n').at(-1) ?? '';
  expect(last).toMatch(/^sk_\w+$/);
  const wrong = key(['--tier', 'gold', '--port', String(port)]);
  expect([wrong.status, wrong.stderr]).toEqual([1, expect.stringContaining('gold')]);
  run.child.kill('SIGTERM');
  expect(await run.ended).toEqual({ code: 0, signal: null });
});

test.skipIf(process.platform !== 'linux')(
  'each running function has the secrets of its own row of docs/deploy.md only',
  async () => {
    const run = start();
    await everything(run);
    await line(run, /^functions\/stream/);
    await line(run, /^functions\/deliver/);
    const found = variablesOfFunctions(run.child.pid ?? 0);
    expect(found).toEqual({
      api: [
        'CRON_KEY',
        'DB_URL_API',
        'FEED_SOURCE',
        'STREAM_SIGNING_SECRET',
        'SUPABASE_PUBLISHABLE_KEYS',
        'SUPABASE_SECRET_KEYS',
        'SUPABASE_URL',
      ],
      deliver: ['CRON_KEY', 'DB_URL_DELIVER', 'WALL_CLOCK_SECONDS'],
      export: ['CRON_KEY', 'DB_URL_EXPORT', 'SUPABASE_SECRET_KEYS', 'SUPABASE_URL'],
      ingest: expect.arrayContaining([
        'CRON_KEY',
        'DB_URL_INGEST',
        'FEED_SOURCE',
        'VENUE_A_REST_URL',
        'WALL_CLOCK_SECONDS',
      ]),
      stream: [
        'DB_URL_STREAM',
        'STREAM_ADDRESS_HEADER',
        'STREAM_MOST_PER_ADDRESS',
        'STREAM_SIGNING_SECRET',
        'STREAM_SOCKET',
        'SUPABASE_PUBLISHABLE_KEYS',
        'SUPABASE_URL',
      ],
    });
    for (const [name, variables] of Object.entries(found))
      for (const variable of variables) expect(variableReaders[variable], variable).toContain(name);
    run.child.kill('SIGTERM');
    await run.ended;
  },
  90_000,
);
