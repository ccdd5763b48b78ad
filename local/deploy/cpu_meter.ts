import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { HOSTED_DENO_VERSION, hostedDeno } from '../platform/functions/hosted_deno.ts';
import { checkResult, type Finding, unknown } from './finding.ts';
import { denoEnvironment } from './lock.ts';
import { type Upload, unpack } from './upload.ts';

const METER = 'functions/_shared/cpu.ts';
const CHARGED_MS = 50;

/** Works for 100 ms, charges 50 ms, and prints by how much the meter grew. */
const trial = `import { CpuMeter, processCpu } from './${METER}';
const meter = new CpuMeter({ read: processCpu, estimate: { bootMs: 100, secondMs: 0 }, now: Date.now });
const before = meter.usedMs;
for (const end = Date.now() + 100; Date.now() < end; );
meter.charge(${CHARGED_MS});
console.log(meter.usedMs - before);`;

/**
 * Whether the CPU meter of the uploaded functions grows on the platform's version of Deno, where
 * `process.cpuUsage()` always returns zeros. One that stays at zero never hands over, and the
 * platform kills each call at 2 s of CPU.
 */
export function cpuMeterFinding(uploaded: readonly Upload[]): Finding {
  const subject = 'CPU meter';
  const deno = hostedDeno();
  if (!deno) return unknown(subject, 'npm has Deno 2.1.4 for Linux with an x64 processor only');
  const errors = uploaded
    .filter((upload) => upload.files.has(METER))
    .filter((upload) => !(growthOf(deno, upload) >= CHARGED_MS))
    .map(({ name }) => `that of ${name} does not grow on Deno ${HOSTED_DENO_VERSION}: its calls never hand over`);
  return checkResult(subject, errors, `grows on Deno ${HOSTED_DENO_VERSION}, whose own reading is always zero`);
}

function growthOf(deno: string, upload: Upload): number {
  const tree = mkdtempSync(join(tmpdir(), 'parallax-meter-'));
  try {
    unpack(upload, tree);
    writeFileSync(join(tree, 'trial.ts'), trial);
    const { stdout } = spawnSync(deno, ['run', '--quiet', '--no-prompt', '--no-config', '--no-lock', 'trial.ts'], {
      cwd: tree,
      env: denoEnvironment(join(tree, 'cache')),
      encoding: 'utf8',
      timeout: 30_000,
    });
    return Number.parseFloat(stdout);
  } finally {
    rmSync(tree, { recursive: true, force: true });
  }
}
