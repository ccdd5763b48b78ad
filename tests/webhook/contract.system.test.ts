import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Webhook } from 'standardwebhooks';
import { tsImport } from 'tsx/esm/api';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createDatabase, type TestDatabase } from '../support/database.ts';
import { createEndpoint, enqueue, organizationWithPlan } from './support/sender.ts';

// docs/webhooks.md is the contract. Its vectors and verifiers must agree with the database, which
// signs.
const page = readFileSync(join(import.meta.dirname, '../../docs/webhooks.md'), 'utf8');
/** The program of docs/webhooks.md that defines `verify` in this language. */
const verifierSource = (language: string) =>
  [...page.matchAll(new RegExp(`\`\`\`${language}\\n([\\s\\S]*?)\`\`\``, 'g'))]
    .map(([, text = '']) => text)
    .find((text) => /(function|def) verify\(/.test(text)) ?? '';
const cell = (name: string) => new RegExp(`\\| ${name} \\| \`([^\`]+)\` \\|`).exec(page)?.[1] ?? '';
const secret = cell('secret');
const id = cell('id');
const time = Number(cell('time'));
const vectors = [...page.matchAll(/^\| `(\{.*\})` \| `([0-9a-f]{64})` \| `(v1,[^`]+)` \|$/gm)].map(
  ([, body = '', v1 = '', standard = '']) => ({ body, v1, standard }),
);

type Case = [secret: string, header: string, body: Uint8Array, now: number];
/** The result of a verifier for each case. The Python verifier runs all cases in one process. */
type Verify = (cases: Case[]) => boolean[];
let db: TestDatabase;
let folder: string;
let inTypeScript: Verify;
let inPython: Verify;
beforeAll(async () => {
  db = await createDatabase();
  folder = mkdtempSync(join(tmpdir(), 'parallax-verify-'));
  const script = join(folder, 'verify.ts');
  writeFileSync(script, verifierSource('ts'));
  const { verify } = await tsImport(pathToFileURL(script).href, import.meta.url);
  inTypeScript = (cases) => cases.map((each) => verify(...each));
  const program = join(folder, 'verify.py');
  const main = `
import json, sys
print(json.dumps([verify(key, header, bytes.fromhex(body), now) for key, header, body, now in json.load(sys.stdin)]))
`;
  writeFileSync(program, `${verifierSource('python')}${main}`);
  inPython = (cases) => {
    const input = JSON.stringify(
      cases.map(([key, header, body, now]) => [key, header, Buffer.from(body).toString('hex'), now]),
    );
    return JSON.parse(execFileSync('python3', [program], { input, encoding: 'utf8' }));
  };
});
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true });
  await db.close();
});

const hasPython = (() => {
  try {
    execFileSync('python3', ['-c', 'import sys; assert sys.version_info >= (3, 10)'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
})();

test('docs/webhooks.md has two signature vectors', () => {
  expect(vectors).toHaveLength(2);
  expect([secret.length, id.length, Number.isInteger(time)]).toEqual([50, 36, true]);
});

test('webhook.sign_v1 and webhook.sign_standard reproduce the signature vectors', async () => {
  for (const { body, v1, standard } of vectors) {
    const [row] = await db.sql`
      select webhook.sign_v1(${secret}, ${time}, ${body}) as v1, webhook.sign_standard(${secret}, ${id}, ${time}, ${body}) as standard`;
    expect(row).toEqual({ v1, standard });
  }
});

describe.each([
  ['TypeScript', () => inTypeScript, false],
  ['Python', () => inPython, !hasPython],
] as const)('the %s verifier of docs/webhooks.md', (_, verifier, isMissing) => {
  test.skipIf(isMissing)('accepts the vectors within 300 seconds and rejects each with a single change', () => {
    const valid: Case[] = [];
    const invalid: Case[] = [];
    for (const { body, v1 } of vectors) {
      const bytes = Buffer.from(body);
      const header = `t=${time},v1=${v1}`;
      for (const now of [time, time + 300, time - 300]) valid.push([secret, header, bytes, now]);
      // After a roll of the secret there are two signatures, and either may be the known one.
      const other = 'a'.repeat(64);
      for (const two of [`${v1},v1=${other}`, `${other},v1=${v1}`]) {
        valid.push([secret, `t=${time},v1=${two}`, bytes, time]);
        invalid.push([`${secret} `, `t=${time},v1=${two}`, bytes, time]);
      }
      invalid.push([secret, `t=${time},v1=${other},v1=${other}`, bytes, time]);
      const flipped = v1.replace(/.$/, (last) => (last === '0' ? '1' : '0'));
      invalid.push(
        [secret, header, bytes, time + 301],
        [secret, header, bytes, time - 301],
        [`${secret} `, header, bytes, time],
        [secret.slice(6), header, bytes, time],
        [secret, `t=${time},v1=${flipped}`, bytes, time],
        [secret, `t=${time + 1},v1=${v1}`, bytes, time],
        [secret, `t=${time},v1=`, bytes, time],
        [secret, `v1=${v1}`, bytes, time],
        [secret, '', bytes, time],
        [secret, header, Buffer.concat([bytes, Buffer.from(' ')]), time],
        [secret, header, Buffer.from('{}'), time],
      );
    }
    expect(verifier()(valid)).toEqual(valid.map(() => true));
    expect(verifier()(invalid)).toEqual(invalid.map(() => false));
  });
});

test('claimed deliveries verify with the Standard Webhooks library and with both documented verifiers', async () => {
  const target = await createEndpoint(db.sql, await organizationWithPlan(db.sql), 'https://hooks.example.com');
  await enqueue(db.sql, target.id, 3);
  const attempts = await db.sql`select * from webhook.claim_deliveries(10, 10, interval '5 seconds')`;
  expect(attempts).toHaveLength(3);
  for (const attempt of attempts) {
    const headers = {
      'webhook-id': attempt.delivery_id,
      'webhook-timestamp': attempt.signed_at,
      'webhook-signature': attempt.standard_signature,
    };
    expect(new Webhook(target.secret).verify(attempt.body, headers)).toEqual(JSON.parse(attempt.body));
    expect(() => new Webhook(target.secret).verify(`${attempt.body} `, headers)).toThrow();
  }
  const cases = attempts.map((attempt): Case => {
    const header = `t=${attempt.signed_at},v1=${attempt.signature}`;
    return [target.secret, header, Buffer.from(attempt.body), Date.now() / 1_000];
  });
  expect(inTypeScript(cases)).toEqual([true, true, true]);
  if (hasPython) expect(inPython(cases)).toEqual([true, true, true]);
});
