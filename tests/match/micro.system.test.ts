import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { matchWorlds, worldsIn } from '../../local/match/worlds.ts';
import { startOwnPostgres } from '../support/own_postgres.ts';
import { temporaryFolder } from '../support/temporary_folder.ts';

/**
 * Guarantee: no small world of look-alikes has a wrong pair. When the texts of both venues agree
 * with their fields, the pairs of EXACT and HIGH are right and nearly complete. Skipped with a
 * message when ../shared is missing.
 */

const micro = join(import.meta.dirname, '../../../shared/data/micro');
const isAvailable = existsSync(join(micro, 'score_micro.mjs'));
if (!isAvailable) console.warn('micro.test.ts is skipped: ../shared/data/micro is missing');

type Severities = { cases: number; ok: number; [severity: string]: number };
type Counted = { hi_right: number; hi_wrong: number; events: number; events_hi: number; legs: number; legs_hi: number };

describe.skipIf(!isAvailable)('worlds of ../shared/data/micro (skipped where the folder is missing)', () => {
  const out = temporaryFolder('micro');
  beforeAll(async () => {
    for (const folder of ['worlds', 'injected']) {
      await matchWorlds(startOwnPostgres, worldsIn(join(micro, folder)), join(out, folder), () => {});
    }
  });
  afterAll(() => rmSync(out, { recursive: true, force: true }));

  /** Returns the figures of the scorer. Its exit status is not zero when it finds an error. */
  const scored = <T>(script: string, ...args: string[]): T => {
    const json = join(out, `${script}.json`);
    try {
      execFileSync(process.execPath, [join(micro, script), ...args, '--json', json], { encoding: 'utf8' });
    } catch (error) {
      console.warn((error as { stdout?: string }).stdout);
    }
    return JSON.parse(readFileSync(json, 'utf8')) as T;
  };

  it('publishes no wrong pair and inverts no right one in any small world', () => {
    const { total } = scored<{ total: Severities }>(
      'score_micro.mjs',
      '--cases',
      join(micro, 'cases.jsonl'),
      '--out',
      join(out, 'worlds'),
    );
    expect([total['wrong money'], total['missed risk'], total['no output']]).toEqual([0, 0, 0]);
  });

  it('is right for EXACT and HIGH in worlds with texts on both sides, and finds 97 % of the possible legs', () => {
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
