import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Sql } from '../platform/postgres/template.ts';
import { matchListings } from './match.ts';
import { codesOfWorld } from './misses.ts';
import { columns } from './report_table.ts';
import { jsonLinesOf, listingsOf, worldsIn } from './worlds.ts';

/**
 * The small worlds of look-alikes (../shared/data/micro/INDEX.md). Each has one case: the pair that
 * must be there, or that must not.
 */

type Severities = { cases: number; ok: number; [severity: string]: number };
type Disagreement = { name: string; kind: string; severity: string; bad: string[]; why: string };
type Report = { total: Severities; by_kind: { [kind: string]: Severities }; disagreements: Disagreement[] };

/** Whether the folder holds small worlds and their scorer. */
export const hasMicroWorlds = (dir: string): boolean => existsSync(join(dir, 'score_micro.mjs'));

/**
 * Matches every small world whose name contains `part`, and scores the cases with the
 * score_micro.mjs of the folder. Returns the report as text.
 */
export async function microReport(
  dir: string,
  part: string,
  withDatabase: <T>(run: (sql: Sql) => Promise<T>) => Promise<T>,
): Promise<string> {
  const worlds = worldsIn(join(dir, 'worlds')).filter((world) => world.name.includes(part));
  if (worlds.length === 0) return 'No small world.';
  const out = mkdtempSync(join(tmpdir(), 'parallax-micro-'));
  try {
    const codes = new Map<string, string[]>();
    for (const world of worlds) {
      const [a, b] = listingsOf(world);
      await withDatabase(async (sql) => {
        writeFileSync(join(out, `${world.name}.jsonl`), jsonLinesOf(await matchListings(sql, a, b, world.now)));
        codes.set(world.name, await codesOfWorld(sql));
      });
    }
    return tableOf(await scored(dir, out, new Set(codes.keys())), codes);
  } finally {
    rmSync(out, { recursive: true, force: true });
  }
}

/** Runs score_micro.mjs over the cases of these worlds. Its status is 1 if a pair is wrong. */
async function scored(dir: string, out: string, names: ReadonlySet<string>): Promise<Report> {
  const cases = readFileSync(join(dir, 'cases.jsonl'), 'utf8')
    .split('\n')
    .filter((line) => line.trim() !== '' && names.has((JSON.parse(line) as { name: string }).name));
  const [file, json] = [join(out, 'cases'), join(out, 'report')];
  writeFileSync(file, `${cases.join('\n')}\n`);
  const script = join(dir, 'score_micro.mjs');
  const failed = await new Promise<Error | null>((resolve) => {
    execFile(process.execPath, [script, '--cases', file, '--out', out, '--json', json], (error) => resolve(error));
  });
  if (failed !== null && !existsSync(json)) throw failed;
  return JSON.parse(readFileSync(json, 'utf8')) as Report;
}

const SEVERITIES = ['wrong money', 'missed risk', 'missed money', 'unwanted candidate', 'cosmetic'];

function tableOf({ total, by_kind, disagreements }: Report, codes: ReadonlyMap<string, string[]>): string {
  const line = (name: string, counts: Severities) => [
    name,
    ...['cases', 'ok', ...SEVERITIES].map((one) => String(counts[one] ?? 0)),
  ];
  const rows = [
    ['small worlds', 'cases', 'ok', ...SEVERITIES],
    ...Object.entries(by_kind).map(([kind, counts]) => line(kind, counts)),
    line('all', total),
  ];
  const named = disagreements.map(
    (one) =>
      `  ${one.severity} ${one.name}: wanted ${one.kind}; ${one.bad.join('; ')} (${codes.get(one.name)?.join(', ') || 'no code'})`,
  );
  return [columns(rows), ...named].join('\n');
}
