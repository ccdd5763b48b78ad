import { beforeAll, describe, expect, it } from 'vitest';
import * as deploy from '../../local/commands/deploy.ts';
import type { Finding } from '../../local/deploy/finding.ts';
import { verify } from '../../local/deploy/verify.ts';
import { callCommand } from '../support/command.ts';
import type { RunningStack } from '../support/stack.ts';
import { waitUntil } from '../support/wait_until.ts';
import { untilFastForwardEnds } from './simulator.ts';

/** `npm run deploy -- --verify` against the running stack, which broken.system.test.ts breaks. */
export const deployVerifySuite = (at: () => RunningStack) =>
  describe('npm run deploy -- --verify', () => {
    let stack: RunningStack;
    let key = '';
    beforeAll(async () => {
      stack = at();
      key = await stack.key('pro', 'deploy verify');
      await untilFastForwardEnds(stack);
      await waitUntil(
        async () =>
          (await stack.sql`select from ops.job_status() where job = 'parallax_minute' and last_end is not null`).length,
        { what: 'the first run of the job of each minute' },
      );
    });

    const ask = (changes: { key?: string; webhook?: string; databaseUrl?: string } = {}) =>
      verify({ baseUrl: stack.baseUrl, key, databaseUrl: stack.facts.database_url, ...changes });
    const wrong = (findings: readonly Finding[]) =>
      findings.filter(({ state }) => state === 'wrong').map(({ subject, message }) => `${subject}: ${message}`);

    it('finds nothing wrong in a sound stack, and answers each question but those of a hosted project', async () => {
      const findings = await ask();
      expect(wrong(findings)).toEqual([]);
      expect(findings.filter(({ state }) => state === 'unknown').map(({ subject }) => subject)).toEqual(['webhook']);
    });

    it('leaves unknown what needs a key or the database, and prints the table as a command', async () => {
      const { out, status } = await callCommand(deploy, ['--verify', stack.baseUrl]);
      expect(out).toMatch(/^ok +health +venue_a up, venue_b up$/m);
      expect(out).toMatch(/^unknown +ticket of the stream +give a key/m);
      expect(out).toMatch(/^unknown +alerts +select \* from ops\.alerts$/m);
      expect(status).toBe(0);
    });

    it('reports a wrong key, a wrong address, a login and a webhook that does not answer', async () => {
      expect(wrong(await ask({ key: 'sk_live_wrong' })).join()).toContain('POST /v1/stream/token answers 401');
      expect(wrong(await verify({ baseUrl: 'http://127.0.0.1:1' })).join()).toContain('/health does not answer');
      const databaseUrl = 'postgresql://postgres:wrong@127.0.0.1:1/postgres';
      expect(wrong(await ask({ databaseUrl })).join()).toContain('database: DATABASE_URL does not work');
      expect(wrong(await ask({ webhook: 'none' })).join()).toContain('webhook: there is no endpoint none');
    });
  });
