import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { matchWorlds, worldsIn } from '../../local/match/worlds.ts';
import { startTemporaryPostgres } from '../../local/platform/postgres/temporary_postgres.ts';
import { temporaryFolder } from '../support/temporary_folder.ts';

/**
 * Guarantee: no small world of look-alikes is paired wrongly, and where both venues' texts agree with their fields the pairs of EXACT and
 * HIGH are right and nearly complete. Skipped, saying so, where ../shared is missing.
 */

const micro = join(import.meta.dirname, '../../../shared/data/micro');
const here = existsSync(join(micro, 'score_micro.mjs'));
if (!here) console.warn('micro.test.ts is skipped: ../shared/data/micro is missing');

type Severities = { cases: number; ok: number; [severity: string]: number };
type Counted = { hi_right: number; hi_wrong: number; events: number; events_hi: number; legs: number; legs_hi: number };

describe.skipIf(!here)('worlds of ../shared/data/micro (skipped where the folder is missing)', () => {
  const out = temporaryFolder('micro');
  beforeAll(async () => {
    for (const folder of ['worlds', 'injected']) {
      const scratch = await startTemporaryPostgres();
      try {
        await matchWorlds(scratch, worldsIn(join(micro, folder)), join(out, folder), () => {});
      } finally {
        await scratch.stop();
      }
    }
  }, 600_000);
  afterAll(() => rmSync(out, { recursive: true, force: true }));

  /** The scorer's figures; its exit status is not zero where something is wrong. */
  const scored = <T>(script: string, ...args: string[]): T => {
    const json = join(out, `${script}.json`);
    try {
      execFileSync(process.execPath, [join(micro, script), ...args, '--json', json], { encoding: 'utf8' });
    } catch (error) {
      console.warn((error as { stdout?: string }).stdout);
    }
    return JSON.parse(readFileSync(json, 'utf8')) as T;
  };

  it('no small world loses money: nothing wrong is published, nothing right is inverted', () => {
    const { total } = scored<{ total: Severities }>(
      'score_micro.mjs',
      '--cases',
      join(micro, 'cases.jsonl'),
      '--out',
      join(out, 'worlds'),
    );
    expect([total['wrong money'], total['missed risk'], total['no output']]).toEqual([0, 0, 0]);
  });

  it('in the worlds with texts on both sides EXACT and HIGH are right, and hold 97 % of what they could', () => {
    const { total } = scored<{ total: Counted }>(
      'score_injected.mjs',
      '--worlds',
      join(micro, 'injected'),
      '--out',
      join(out, 'injected'),
    );
    expect(total.hi_wrong).toBe(0);
    expect(total.events_hi / total.events).toBeGreaterThanOrEqual(0.97);
    expect(total.legs_hi / total.legs).toBeGreaterThanOrEqual(0.97);
  });
});
