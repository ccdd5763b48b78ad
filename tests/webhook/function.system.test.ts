import { type ChildProcess, spawn } from 'node:child_process';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { denoProgram, repository } from '../../local/platform/postgres/binaries.ts';
import { createDatabase, type TestDatabase } from '../support/database.ts';
import { waitUntil } from '../support/wait_until.ts';
import { createAuthority } from './support/certificate.ts';
import { Receiver } from './support/receiver.ts';
import { allowHosts, createEndpoint, deliveryRow, enqueue, organizationWithPlan } from './support/sender.ts';

describe('the deliver function in Deno', () => {
  let db: TestDatabase;
  let receiver: Receiver;
  let child: ChildProcess;
  let output = '';
  beforeAll(async () => {
    db = await createDatabase();
    const ca = createAuthority();
    receiver = await Receiver.listen(ca);
    await allowHosts(db.sql, `localhost:${receiver.port}`);
    const options = [
      '--no-prompt',
      '--cached-only',
      '--allow-net',
      '--allow-env',
      '--host',
      '127.0.0.1',
      '--port',
      '0',
    ];
    child = spawn(denoProgram(), ['serve', ...options, 'functions/deliver/index.ts'], {
      cwd: repository,
      env: {
        PATH: process.env.PATH ?? '',
        HOME: process.env.HOME ?? '',
        ...{ NO_COLOR: '1', DENO_NO_UPDATE_CHECK: '1' },
        DB_URL_DELIVER: db.url('parallax_deliver'),
        WEBHOOK_CA: ca.certificate,
        DELIVER_CPU_SECONDS: '2',
        CRON_KEY: 'cron_key_of_this_test_0123456789abcdef',
      },
    });
    for (const stream of [child.stdout, child.stderr])
      stream?.on('data', (part: Buffer) => {
        output += part.toString();
      });
  });
  afterAll(async () => {
    const exited = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGKILL');
    await exited;
    await receiver.close();
    await db.close();
  });

  test('accepts only the cron key, sends in the background, and does not start a second sender', async () => {
    const base = await waitUntil(() => /http:\/\/[\d.]+:\d+/.exec(output)?.[0], {
      what: 'an address',
      timeoutMs: 60_000,
    });
    const post = (key?: string, method = 'POST') =>
      fetch(`${base}/deliver`, { method, ...(key ? { headers: { 'x-cron-key': key } } : {}) });
    const codeOf = async (response: Response) => [response.status, (await response.json()).code];
    expect(await codeOf(await post())).toEqual([401, 'auth.missing_key']);
    expect(await codeOf(await post('sb_secret_default'))).toEqual([401, 'auth.wrong_key']);
    expect(await codeOf(await post('cron_key_of_this_test_0123456789abcdef', 'GET'))).toEqual([
      405,
      'method.not_allowed',
    ]);
    const endpoint = await createEndpoint(db.sql, await organizationWithPlan(db.sql), receiver.url('/called'));
    const [id = ''] = await enqueue(db.sql, endpoint.id);
    const first = await post('cron_key_of_this_test_0123456789abcdef');
    expect([first.status, await first.json()]).toEqual([202, { started: true }]);
    await waitUntil(async () => (await deliveryRow(db.sql, id)).state === 'delivered', {
      what: 'the delivery',
      timeoutMs: 60_000,
    });
    expect(await (await post('cron_key_of_this_test_0123456789abcdef')).json()).toEqual({ started: false });
    const [state] = await db.sql`select awake_until > now() as awake from webhook.sender_state`;
    expect(state?.awake).toBe(true);
  });
});
