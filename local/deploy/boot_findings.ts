import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { HOSTED_DENO_VERSION, hostedDeno } from '../platform/functions/hosted_deno.ts';
import { type Boot, bootFunction, bootSecrets, type Call } from './boot.ts';
import { checkResult, type Finding, unknown } from './finding.ts';
import type { Upload } from './upload.ts';

type Expectation = Call & {
  status: number;
  /** CPU until the first answer, in ms, on the machine of `REFERENCE_MS`. */
  targetMs?: number;
  /** Files that the function loads late, and that count as its start. */
  alsoImports?: readonly string[];
};

const expectations: Readonly<Record<string, Expectation>> = {
  api: { method: 'GET', path: '/api/health', status: 200, targetMs: 120 },
  // A call that reads listings loads the parsers of both venues.
  ingest: {
    method: 'POST',
    path: '/ingest',
    status: 401,
    targetMs: 400,
    alsoImports: ['functions/ingest/parsers.ts'],
  },
  deliver: { method: 'POST', path: '/deliver', status: 401 },
  export: { method: 'POST', path: '/export', status: 401 },
  stream: { method: 'GET', path: '/stream', status: 426 },
};

/** The CPU of the yardstick's own work where the targets were set (2026-11-26, 2 cores, idle). */
const REFERENCE_MS = 280;
/**
 * A start is wrong beyond this many times its target on a machine of that speed: one run on a busy
 * machine varies by a third, and the targets are goals.
 */
const TOLERANCE = 2;

/** An empty function, and one that compiles a fixed text: its CPU is the speed of this machine. */
const empty = fixedUpload('export default { fetch: () => new Response() };');
const yardstick = fixedUpload(`
let total = 0;
for (let at = 0; at < 30_000; at += 1) total += new Function('a', 'const b = { n: ' + at + ' + a }; return b.n')(1);
export default { fetch: () => new Response(String(total)) };`);

function fixedUpload(code: string): Upload {
  const files = new Map([
    ['index.ts', Buffer.from(code)],
    ['deno.json', Buffer.from('{}')],
  ]);
  return { name: 'fixed', verifyJwt: false, entrypoint: 'index.ts', importMap: 'deno.json', bytes: 0, files };
}

/**
 * Starts each uploaded function on the platform's version of Deno, and calls it: `times` times, of
 * which the one with the least CPU counts.
 */
export async function bootFindings(uploaded: readonly Upload[], times = 3): Promise<Finding[]> {
  const deno = hostedDeno();
  const subject = `start on Deno ${HOSTED_DENO_VERSION}`;
  if (!deno) return [unknown(subject, 'npm has it for Linux with an x64 processor only: run this check there')];
  const cache = mkdtempSync(join(tmpdir(), 'parallax-deno-'));
  try {
    const call = { method: 'GET', path: '/', alsoImports: [], cache, times } as const;
    const [nothing, fixed] = [await bootFunction(deno, empty, call), await bootFunction(deno, yardstick, call)];
    if (!('cpuMs' in nothing) || !('cpuMs' in fixed))
      return [checkResult(subject, [`an empty function does not start: ${JSON.stringify(nothing)}`], '')];
    const machine = { empty: nothing, times, slowness: (fixed.cpuMs - nothing.cpuMs) / REFERENCE_MS };
    const findings = [];
    for (const upload of uploaded) findings.push(await bootFinding(deno, upload, cache, machine));
    return findings;
  } finally {
    rmSync(cache, { recursive: true, force: true });
  }
}

type Machine = { empty: Boot; slowness: number; times: number };

async function bootFinding(deno: string, upload: Upload, cache: string, machine: Machine): Promise<Finding> {
  const subject = `start of ${upload.name}`;
  const {
    status,
    targetMs,
    alsoImports = [],
    ...call
  } = expectations[upload.name] ?? {
    method: 'GET' as const,
    path: `/${upload.name}`,
    status: 200,
  };
  const outcome = await bootFunction(deno, upload, { ...call, alsoImports, cache, times: machine.times });
  if ('offline' in outcome) return unknown(subject, `the npm registry does not answer: ${outcome.offline}`);
  if ('error' in outcome)
    return checkResult(subject, [`does not start on Deno ${HOSTED_DENO_VERSION}: ${outcome.error}`], '');
  const cpuMs = outcome.cpuMs - machine.empty.cpuMs;
  const limitMs = targetMs && Math.round(targetMs * machine.slowness * TOLERANCE);
  return checkResult(
    subject,
    [
      ...(outcome.status === status ? [] : [`answers ${outcome.status} to ${call.path} instead of ${status}`]),
      ...(limitMs && cpuMs > limitMs ? [`uses ${cpuMs} ms of CPU, more than ${limitMs} on this machine`] : []),
      ...secretsIn(outcome.requested),
    ],
    [
      `answers ${outcome.status}; ${cpuMs} ms of CPU`,
      targetMs
        ? ` (target ${targetMs}, red above ${limitMs}: ${TOLERANCE} x target x ${machine.slowness.toFixed(1)} of this machine)`
        : '',
      `, ${outcome.rssMb - machine.empty.rssMb} MB more than an empty function`,
    ].join(''),
  );
}

/** Addresses that hold a secret or a token: gateways and proxies write addresses to their logs. */
export function secretsIn(addresses: readonly string[]): string[] {
  const secrets = [...Object.values(bootSecrets), 'sb_secret_', 'eyJ', 'boot-password'];
  return [...new Set(addresses)].flatMap((address) => {
    const { pathname, searchParams } = new URL(address, 'http://platform');
    return [...searchParams]
      .filter(([, value]) => secrets.some((secret) => value.includes(secret)))
      .map(([name]) => `sends a secret in the address ${pathname}?${name}=…: use a header or the body`);
  });
}
