import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { startPlatform } from '../../local/deploy/boot.ts';
import { bootFindings, secretsIn } from '../../local/deploy/boot_findings.ts';
import { cpuMeterFinding } from '../../local/deploy/cpu_meter.ts';
import { lockErrors } from '../../local/deploy/lock.ts';
import { type Upload, uploads } from '../../local/deploy/upload.ts';
import { HOSTED_DENO_VERSION, hostedDeno } from '../../local/platform/functions/hosted_deno.ts';
import { repository } from '../../local/platform/postgres/binaries.ts';
import { temporaryFolder } from '../support/temporary_folder.ts';
import { waitUntil } from '../support/wait_until.ts';

// `deliver` is the smallest function. The registry of npm has its packages.

const missing = hostedDeno() ? '' : ` (skipped: npm has Deno ${HOSTED_DENO_VERSION} for Linux on x64 only)`;

let uploaded: Upload[] = [];
beforeAll(async () => {
  uploaded = await uploads(repository);
});

/** A copy of what the CLI uploads of a function, with `change` made to the text of one file. */
function uploadOf(name: string, path = '', change: (text: string) => string = (text) => text): Upload {
  const upload = uploaded.find((found) => found.name === name);
  if (!upload) throw new Error(`${name} is not uploaded`);
  const files = new Map(upload.files);
  if (path) files.set(path, Buffer.from(change(files.get(path)?.toString() ?? '')));
  return { ...upload, files };
}

/** Starts a function with code at its end. */
async function bootWith(code: string, name = 'deliver') {
  const upload = uploadOf(name, `functions/${name}/index.ts`, (text) => `${text}${code}\n`);
  const [finding] = await bootFindings([upload], 1);
  if (!finding) throw new Error('there is no finding');
  return finding;
}

describe.skipIf(missing !== '')(`a start from the uploaded files on the platform’s Deno${missing}`, () => {
  test('answers, and has its CPU and memory measured', async () => {
    const finding = await bootWith('');
    expect(finding).toMatchObject({ subject: 'start of deliver', state: 'ok' });
    expect(finding.message).toMatch(/^answers 401; \d+ ms of CPU, \d+ MB more than an empty function$/);
  });

  test.each([
    [
      'a method that a later Deno has',
      "Reflect.apply(Reflect.get(Uint8Array, 'fromBase64'), Uint8Array, ['AA==']);",
      /does not start on Deno 2\.1\.4: .*apply/,
    ],
    ['a file that is not uploaded', "await import(['./late', 'ts'].join('.'));", /does not start .*Module not found/],
    [
      'a secret in an address',
      "await fetch(Deno.env.get('SUPABASE_URL') + '/auth/v1/health?apikey=' + Deno.env.get('CRON_KEY'));",
      /sends a secret in the address \/auth\/v1\/health\?apikey=…/,
    ],
  ])(
    'is red for a function with %s',
    async (_, code, words) => {
      const finding = await bootWith(code);
      expect(finding.state).toBe('wrong');
      expect(finding.message).toMatch(words);
    },
    120_000,
  );

  test('is red for api if its start uses several times its CPU', async () => {
    const busy = 'const end = Date.now() + 6_000; while (Date.now() < end) JSON.stringify([]);';
    const finding = await bootWith(busy, 'api');
    expect(finding).toMatchObject({
      state: 'wrong',
      message: expect.stringMatching(/uses \d{4} ms of CPU, more than/),
    });
  });

  test('leaves it unknown whether a function starts if the npm registry does not answer', async () => {
    const before = process.env.NPM_CONFIG_REGISTRY;
    process.env.NPM_CONFIG_REGISTRY = 'http://127.0.0.1:1/';
    try {
      expect(await bootWith('')).toMatchObject({ state: 'unknown', message: expect.stringContaining('npm registry') });
    } finally {
      if (before === undefined) delete process.env.NPM_CONFIG_REGISTRY;
      else process.env.NPM_CONFIG_REGISTRY = before;
    }
  });
});

describe.skipIf(missing !== '')(`the CPU meter on the platform’s Deno${missing}`, () => {
  test('grows in every function that has one', () => {
    expect(cpuMeterFinding(uploaded)).toMatchObject({ subject: 'CPU meter', state: 'ok' });
    expect(uploaded.filter(({ files }) => files.has('functions/_shared/cpu.ts')).map(({ name }) => name)).toEqual([
      'deliver',
      'export',
      'ingest',
      'stream',
    ]);
  });

  test('is red for a function that takes the zeros of process.cpuUsage for a measurement', () => {
    const trusting = uploadOf('ingest', 'functions/_shared/cpu.ts', (text) => text.replace('first <= 0 || ', ''));
    expect(trusting.files).not.toEqual(uploadOf('ingest').files);
    expect(cpuMeterFinding([uploadOf('stream'), trusting])).toMatchObject({
      state: 'wrong',
      message: expect.stringContaining('that of ingest does not grow on Deno 2.1.4'),
    });
  });
});

test('an address with a token, a secret key or a password is reported by its parameter, without the value', () => {
  expect(secretsIn(['/realtime/v1/websocket?vsn=1.0.0&apikey=sb_publishable_x'])).toEqual([]);
  for (const value of ['sb_secret_x', 'eyJhbGciOiJFUzI1NiJ9.e30.c2ln']) {
    const [error] = secretsIn([`/realtime/v1/websocket?apikey=${value}`]);
    expect(error).toContain('/realtime/v1/websocket?apikey=…');
    expect(error).not.toContain(value);
  }
});

describe('the lock of an uploaded function', () => {
  test('is uploaded with each function, and has the versions that are tested', () => {
    for (const upload of uploaded) expect(lockErrors(upload), upload.name).toEqual([]);
  });

  test('is reported as missing if config.toml does not name it', async () => {
    const project = temporaryFolder('lock');
    try {
      mkdirSync(join(project, 'supabase'));
      cpSync(join(repository, 'functions'), join(project, 'functions'), { recursive: true });
      const text = readFileSync(join(repository, 'supabase/config.toml'), 'utf8');
      const line = 'static_files = ["../functions/deliver/deno.lock"]\n';
      expect(text).toContain(line);
      writeFileSync(join(project, 'supabase/config.toml'), text.replace(line, ''));
      const errors = (await uploads(project)).map((upload) => [upload.name, lockErrors(upload).join()]);
      expect(errors).toEqual([
        ['api', ''],
        ['deliver', expect.stringContaining('is uploaded without deno.lock')],
        ['export', ''],
        ['ingest', ''],
        ['stream', ''],
      ]);
    } finally {
      rmSync(project, { recursive: true, force: true });
    }
  });

  test.each([
    ['a later version', (text: string) => text.replace('"version": "4"', '"version": "5"'), 'has version 5'],
    ['another version of a package', (text: string) => text.replace(/xtend@4\.0\.2/g, 'xtend@4.0.1'), 'in xtend@4.0.1'],
    ['a package less', (text: string) => text.replace('"npm:hono@4.13.19": "4.13.19",', ''), 'lacks npm:hono@4.13.19'],
  ])('is reported if it has %s', (_, change, words) => {
    const upload = uploadOf('deliver', 'functions/deliver/deno.lock', change);
    expect(lockErrors(upload).join()).toContain(words);
  });
});

test('a killed function that resets its WebSocket does not end the check', async () => {
  const platform = await startPlatform();
  try {
    for (let at = 0; at < 20; at += 1) {
      const socket = connect(Number(new URL(platform.url).port), '127.0.0.1');
      socket.on('error', () => {});
      const request = `GET /${at} HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n`;
      await new Promise<void>((resolve) => socket.write(request, () => resolve()));
      socket.resetAndDestroy();
    }
    await waitUntil(() => platform.requested.includes('/19'), { what: 'the last request', timeoutMs: 5_000 });
  } finally {
    platform.stop();
  }
});
