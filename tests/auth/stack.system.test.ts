import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { keysSuite } from '../dashboard/keys.suite.ts';
import { readMails, untilMail } from '../support/mails.ts';
import { type Client, clientAt } from '../support/rest.ts';
import { type RunningStack, startStack } from '../support/stack.ts';
import { supabaseAuthOrSkip } from '../support/supabase_auth.ts';
import { temporaryFolder } from '../support/temporary_folder.ts';
import { waitUntil } from '../support/wait_until.ts';

const binary = supabaseAuthOrSkip('tests/auth/stack.system.test.ts');

describe.skipIf(!binary)('npm start -- --auth gotrue', () => {
  const folder = temporaryFolder('auth-stack');
  let stack: RunningStack;
  let site: string;
  let keys: { publishable: string; secret: string };
  beforeAll(async () => {
    if (!binary) return;
    stack = await startStack({
      folder,
      args: ['--auth', 'gotrue', '--games', '40'],
      env: { REST_DELAY_SECONDS: '10' },
      readyWithinMs: 240_000,
    });
    site = new URL(stack.baseUrl).origin;
    keys = JSON.parse(readFileSync(join(folder, 'secrets.json'), 'utf8'));
  }, 250_000);
  afterAll(async () => {
    await stack?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  // Sign-up, sign-in, keys and the API in the browser.
  keysSuite(() => stack);

  async function signUp(email: string): Promise<Client> {
    const client = clientAt(site, keys.publishable);
    expect((await client.auth.signUp({ email, password: 'long enough' })).error).toBeNull();
    return client;
  }
  /** The state that a join of a private topic ends in. */
  async function joinState(client: Client, topic: string): Promise<string> {
    const channel = client.channel(topic, { config: { private: true } });
    const state = await new Promise<string>((resolve) => channel.subscribe((status) => resolve(status)));
    await client.removeChannel(channel);
    return state;
  }

  test('Realtime accepts an ES256 session, and its policies decide by the tier of the person', async () => {
    const client = await signUp('listens@example.com');
    await client.rpc('start_session');
    await client.realtime.setAuth();
    expect(await joinState(client, 'status')).toBe('SUBSCRIBED');
    expect(await joinState(client, 'markets:all')).toBe('CHANNEL_ERROR');
    client.realtime.disconnect();
  });

  test('a mail of Auth is a file in the data folder, and its link leads through the gateway', async () => {
    const email = 'reads-mail@example.com';
    const client = await signUp(email);
    expect((await client.auth.resetPasswordForEmail(email)).error).toBeNull();
    const { link } = await untilMail(join(folder, 'mails'), email);
    const answer = await fetch(link, { redirect: 'manual' });
    expect(new URL(answer.headers.get('location') ?? '').origin).toBe(site);
    expect(stack.lines.some((line) => line.startsWith('mail ') && line.includes(join(folder, 'mails')))).toBe(true);
  });

  test('Auth is restarted when it dies, and the session is still valid', async () => {
    const client = await signUp('survives@example.com');
    const killed = stack.kill(new RegExp(`${binary?.path} serve`));
    await waitUntil(() => (stack.findPid(new RegExp(`${binary?.path} serve`)) ?? killed) !== killed, {
      what: 'another process of Auth runs',
      timeoutMs: 20_000,
    });
    // Until the supervisor notices the death, the gateway answers 503.
    await waitUntil(async () => (await client.auth.getUser()).data.user?.email === 'survives@example.com', {
      what: 'Auth answers again, for the same session',
      timeoutMs: 20_000,
    });
  });

  test('no secret of the stack, and no token of a mail, is in its logs', async () => {
    const names = ['auth', 'rest', 'realtime'];
    const logs = names.map((name) => readFileSync(join(folder, 'logs', `${name}.log`), 'utf8')).join('\n');
    const secrets = JSON.parse(readFileSync(join(folder, 'secrets.json'), 'utf8'));
    const texts: string[] = [...Object.values(secrets), ...secrets.signing_keys.map(({ d }: { d: string }) => d)];
    const mails = readMails(join(folder, 'mails'), 'reads-mail@example.com');
    const tokens = (await mails).map(({ link }) => new URL(link).searchParams.get('token') ?? '');
    expect(tokens.length).toBeGreaterThan(0);
    texts.push(...tokens);
    for (const text of texts.filter((one) => typeof one === 'string')) expect(logs.includes(text)).toBe(false);
  });
});
