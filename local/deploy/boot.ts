import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { untilListening } from '../platform/functions/worker.ts';
import { cpuOf } from '../platform/limits/process_usage.ts';
import { errorCode, errorText } from '../platform/user_error.ts';
import { denoEnvironment, lockPath } from './lock.ts';
import { type Upload, unpack } from './upload.ts';

/** What one start of a function on the platform's Deno answered, and what it used until then. */
export type Boot = {
  status: number;
  /** CPU of the process until its first answer: user and system, all threads. */
  cpuMs: number;
  rssMb: number;
  /** Addresses with query that the function requested of the platform. */
  requested: string[];
};

/** The call that shows that a function answers. */
export type Call = { method: 'GET' | 'POST'; path: string };

/** `offline`: the npm registry does not answer, so nothing is known about the function. */
export type Outcome = Boot | { error: string } | { offline: string };

const serveScript = fileURLToPath(new URL('../platform/functions/serve.ts', import.meta.url));
/** Deno's messages when it cannot reach the registry; a package that is missing has another. */
const NO_NETWORK = /error sending request|dns error|failed to lookup|tcp connect|timed out/i;

/** The secrets of the started functions. None of them may appear in an address. */
export const bootSecrets: Readonly<Record<string, string>> = {
  CRON_KEY: 'boot-cron-key-0123456789abcdef0123456789',
  METRICS_KEY: 'boot-metrics-key-0123456789abcdef0123456',
  SUPABASE_SECRET_KEYS: '{"default":"sb_secret_boot_default","cron":"sb_secret_boot_cron"}',
  // A key of this file only.
  STREAM_SIGNING_KEY: JSON.stringify({
    kty: 'EC',
    crv: 'P-256',
    kid: 'boot',
    x: 'h1y6qzv0SsTtU6JrhpUh1bcRUHqJLxcLAVCmdByr_zI',
    y: 'EAywKa4U6Q_Y-O7fOzebqB65IlMfJP8QHaYPgaEezrE',
    d: 'DbF-18Dy_HDX0-W5JAbc_-gECsXegXgqTtJD_3cb7Sw',
  }),
};

/**
 * Starts an uploaded function on `deno` from its uploaded files alone, and calls it at `path`.
 * `alsoImports` are files of it that it loads late and that belong to its start.
 */
export async function bootFunction(
  deno: string,
  upload: Upload,
  options: Call & { alsoImports: readonly string[]; cache: string; times: number },
): Promise<Outcome> {
  const tree = mkdtempSync(join(tmpdir(), 'parallax-boot-'));
  try {
    unpack(upload, tree);
    const imports = options.alsoImports.map((path) => `import './${path}';\n`).join('');
    writeFileSync(join(tree, 'boot.ts'), `${imports}export { default } from './${upload.entrypoint}';\n`);
    const flags = [
      ...['--config', join(tree, upload.importMap)],
      ...(upload.files.has(lockPath(upload.name)) ? ['--frozen', '--lock', join(tree, lockPath(upload.name))] : []),
    ];
    const fetched = fetchPackages(deno, tree, flags, options.cache);
    if (fetched) return fetched;
    const boots: Boot[] = [];
    for (let at = 0; at < options.times; at += 1) boots.push(await start(deno, tree, flags, options));
    return boots.reduce((least, boot) => (boot.cpuMs < least.cpuMs ? boot : least));
  } catch (error) {
    return { error: errorText(error) };
  } finally {
    rmSync(tree, { recursive: true, force: true });
  }
}

/** Downloads the packages and compiles the TypeScript. The platform does that when it deploys. */
function fetchPackages(deno: string, tree: string, flags: string[], cache: string): Outcome | undefined {
  const fetched = spawnSync(deno, ['cache', '--quiet', ...flags, join(tree, 'boot.ts'), serveScript], {
    cwd: tree,
    env: denoEnvironment(cache),
    encoding: 'utf8',
    timeout: 120_000,
  });
  if (fetched.status === 0) return undefined;
  const [first = 'Deno ended without a message'] = fetched.stderr.split('\n').filter(Boolean);
  return NO_NETWORK.test(fetched.stderr) ? { offline: first } : { error: first };
}

async function start(
  deno: string,
  tree: string,
  flags: string[],
  { method, path, cache }: Call & { cache: string },
): Promise<Boot> {
  const platform = await startPlatform();
  const socketPath = join(tree, 'boot.sock');
  rmSync(socketPath, { force: true });
  const child = spawn(
    deno,
    [
      'run',
      ...['--quiet', '--no-prompt', '--cached-only', '--no-code-cache', ...flags],
      ...['--allow-net', '--allow-env', `--allow-read=${tree}`, `--allow-write=${socketPath}`],
      serveScript,
    ],
    {
      cwd: tree,
      env: {
        ...denoEnvironment(cache),
        ...bootSecrets,
        ...Object.fromEntries(
          ['API', 'INGEST', 'STREAM', 'DELIVER', 'EXPORT'].map((name) => [
            `DB_URL_${name}`,
            'postgres://role:boot-password@127.0.0.1:1/x',
          ]),
        ),
        SUPABASE_URL: platform.url,
        SUPABASE_PUBLISHABLE_KEYS: '{"default":"sb_publishable_boot"}',
        FUNCTION_ENTRYPOINT: pathToFileURL(join(tree, 'boot.ts')).href,
        DENO_SERVE_ADDRESS: `unix:${socketPath}`,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  );
  try {
    return { ...(await callOnce(child, socketPath, { method, path })), requested: platform.requested };
  } finally {
    child.kill('SIGKILL');
    platform.stop();
  }
}

/** Waits for the process to listen, calls it, and reads its usage. @throws Error with its output */
async function callOnce(child: ChildProcess, socketPath: string, call: Call): Promise<Omit<Boot, 'requested'>> {
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk) => (output += chunk));
  const ended = new Promise<never>((_, reject) => {
    child.once('error', reject);
    child.once('close', (code) => {
      const line = output.split('\n').find((text) => /error/i.test(text)) ?? output.trim().split('\n').at(-1);
      reject(new Error(`ends at its start with code ${code}: ${line ?? ''}`));
    });
  });
  await Promise.race([untilListening(socketPath), ended]);
  const status = await Promise.race([answerOf(socketPath, call), ended]);
  const pid = child.pid ?? 0;
  const kilobytes = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  // The process may only end now because it is killed.
  ended.catch(() => {});
  return { status, cpuMs: cpuOf(pid) ?? 0, rssMb: Math.round(Number(kilobytes) / 1024) };
}

/** The status of the first answer. A busy machine may reset connections to a new process. */
async function answerOf(socketPath: string, call: Call): Promise<number> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await statusOf(socketPath, call);
    } catch (error) {
      if (errorCode(error) !== 'ECONNRESET' || attempt === 5) throw error;
      await new Promise((resolve) => setTimeout(resolve, 100 * attempt));
    }
  }
}

function statusOf(socketPath: string, { method, path }: Call): Promise<number> {
  return new Promise((resolve, reject) => {
    const call = request({ socketPath, method, path, timeout: 30_000 }, (response) => {
      response.resume();
      response.on('end', () => resolve(response.statusCode ?? 0));
    });
    call.on('timeout', () => call.destroy(new Error('gives no answer within 30 s')));
    call.on('error', reject);
    call.end();
  });
}

/** The platform's address on loopback: notes what is requested, and rejects it. */
export async function startPlatform(): Promise<{ url: string; requested: string[]; stop(): void }> {
  const requested: string[] = [];
  const server = createServer((incoming, response) => {
    requested.push(incoming.url ?? '');
    response.writeHead(404).end();
  });
  server.on('upgrade', (incoming, socket) => {
    requested.push(incoming.url ?? '');
    // The function is killed after its first answer, and its connections are reset.
    socket.on('error', () => {});
    socket.end('HTTP/1.1 404 Not Found\r\n\r\n');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const stop = () => {
    server.closeAllConnections();
    server.close();
  };
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, requested, stop };
}
