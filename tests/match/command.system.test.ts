import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import * as command from '../../local/commands/match.ts';
import { gameA, gameB } from '../catalog/fixtures.ts';
import { callCommand } from '../support/command.ts';
import { startOwnPostgres } from '../support/own_postgres.ts';
import { temporaryFolder } from '../support/temporary_folder.ts';

/**
 * Guarantee: the command runs a match pass over two files of listings, also with most fields
 * missing, and writes one line per pair and per rejection.
 */

const folder = temporaryFolder('match');
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Runs the command with a server that starts sooner than its own. */
const match = (...args: string[]) =>
  callCommand({ main: (given, output) => command.main(given, output, startOwnPostgres) }, args);

function file(name: string, content: unknown): string {
  const path = join(folder, name);
  writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content));
  return path;
}

const HOU = { code: 'HOU', label: 'Houston' };
const SD = { code: 'SD', label: 'San Diego' };
const a = file('a.json', [
  gameA('KXMLBGAME-26AUG092020HOUSD', 'Houston vs San Diego', [HOU, SD]),
  // Few fields: no series, no state, no texts. The last two cannot be parsed.
  {
    event_ticker: 'KXNBAGAME-26AUG10CHIBOS',
    title: 'Chicago vs Boston',
    markets: [{ ticker: 'KXNBAGAME-26AUG10CHIBOS-CHI' }],
  },
  { title: 'no ticker' },
  null,
]);
const b = file('b.json', [
  gameB('mlb-hou-sd-2026-08-09', ['San Diego Padres', 'Houston Astros'], { id: 'x' }),
  gameB('mlb-hou-sd-2026-08-11', ['San Diego Padres', 'Houston Astros'], { id: 'y' }),
  {
    slug: 'nba-chi-bos-2026-08-10',
    markets: [{ slug: 'nba-chi-bos-2026-08-10', outcomes: '["Bulls", "Celtics"]', clobTokenIds: '["p", "q"]' }],
  },
]);

describe('npm run match', () => {
  it('writes one line per pair and per rejection, and prints a summary', async () => {
    const out = join(folder, 'out.jsonl');
    const result = await match('--a', a, '--b', b, '--out', out);
    expect(result.status).toBe(0);
    expect(result.err).toMatch(
      /2 pairs \(0 EXACT, 1 HIGH, 1 REVIEW\), \d+ rejections, 2 rejected listings; market time 2026-08-09/,
    );
    const rows = readFileSync(out, 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    const pair = rows.find((row) => row.venue_a.event_ticker === 'KXMLBGAME-26AUG092020HOUSD' && !row.refused);
    expect(pair).toMatchObject({
      venue_a: { tickers: ['KXMLBGAME-26AUG092020HOUSD-HOU', 'KXMLBGAME-26AUG092020HOUSD-SD'] },
      venue_b: { event_slug: 'mlb-hou-sd-2026-08-09', condition_ids: ['0xx'], slugs: ['mlb-hou-sd-2026-08-09'] },
      market_type: 'moneyline',
      band: 'HIGH',
      signal_gates: { band: true, parity: false },
      outcomes: [
        {
          key: 'houston-astros',
          venue_a: 'KXMLBGAME-26AUG092020HOUSD-HOU',
          venue_a_side: 'yes',
          venue_b: 'x:1',
          relation: 'EXACT',
        },
        {
          key: 'san-diego-padres',
          venue_a: 'KXMLBGAME-26AUG092020HOUSD-SD',
          venue_a_side: 'yes',
          venue_b: 'x:0',
          relation: 'EXACT',
        },
      ],
    });
    expect(pair.confidence.entity).toBeGreaterThanOrEqual(0.95);
    expect(pair.risks.length).toBeGreaterThan(0);
    // The venue lists one of two markets, so it has both sides.
    const thin = rows.find((row) => row.venue_a.event_ticker === 'KXNBAGAME-26AUG10CHIBOS');
    expect(
      thin.outcomes.map((one: { venue_a_side: string; venue_b: string }) => [one.venue_a_side, one.venue_b]),
    ).toEqual([
      ['yes', 'p'],
      ['no', 'q'],
    ]);
    expect(rows.filter((row) => row.refused)).toContainEqual(
      expect.objectContaining({
        refused: true,
        code: expect.any(String),
        venue_b: expect.objectContaining({ event_slug: 'mlb-hou-sd-2026-08-11' }),
      }),
    );
  });

  it.each([
    [['--a', a], 2, /npm run match -- --a FILE --b FILE/],
    [['--a', a, '--b', join(folder, 'nowhere.json')], 1, /nowhere\.json could not be read as JSON/],
    [['--a', file('broken.json', '{"a":'), '--b', b], 1, /broken\.json could not be read as JSON/],
    [['--a', file('object.json', {}), '--b', b], 1, /object\.json is not an array of events/],
    [['--a', a, '--b', b, '--now', 'soon'], 1, /--now soon is not a time/],
  ])('prints what is wrong with the arguments %j', async (args, status, words) => {
    const result = await match(...args);
    expect([result.status, result.out]).toEqual([status, '']);
    expect(result.err).toMatch(words);
  });
});

/** Writes a folder of worlds. A world is an object of file names and contents. */
function worlds(name: string, folders: { [world: string]: { [file: string]: unknown } }): string {
  for (const [world, files] of Object.entries(folders)) {
    mkdirSync(join(folder, name, world), { recursive: true });
    for (const [one, content] of Object.entries(files)) file(join(name, world, one), content);
  }
  return join(folder, name);
}

describe('npm run match -- --worlds', () => {
  const listings = {
    'listings.venue_a.json': JSON.parse(readFileSync(a, 'utf8')),
    'listings.venue_b.json': JSON.parse(readFileSync(b, 'utf8')),
  };

  it('writes one file per world folder, as of its now.txt, and never mixes the worlds', async () => {
    const dir = worlds('several', {
      first: { ...listings, 'now.txt': '2026-08-08T10:00:00Z\n' },
      second: { ...listings, 'listings.venue_b.json': [] },
      'only one venue': { 'listings.venue_a.json': [] },
    });
    const out = join(folder, 'made', 'if missing');
    const result = await match('--worlds', dir, '--out', out);
    expect(result.status).toBe(0);
    expect(readdirSync(out).sort()).toEqual(['first.jsonl', 'second.jsonl']);
    expect(result.err).toMatch(/first: 2 pairs .* market time 2026-08-08T10:00:00\.000Z/);
    const lines = readFileSync(join(out, 'first.jsonl'), 'utf8').trim().split('\n');
    expect(lines.map((line) => JSON.parse(line).market_type)).toContain('moneyline');
    expect(readFileSync(join(out, 'second.jsonl'), 'utf8')).toBe('');
  });

  it.each([
    ['a missing folder', ['--worlds', join(folder, 'nowhere'), '--out', join(folder, 'o')], /nowhere is not a folder/],
    [
      'a folder without a world',
      ['--worlds', worlds('bare', { one: { 'now.txt': '' } }), '--out', join(folder, 'o')],
      /contains no world, which is a folder with/,
    ],
    [
      'listings with invalid JSON',
      [
        '--worlds',
        worlds('torn', { good: listings, torn: { ...listings, 'listings.venue_b.json': '[{' } }),
        '--out',
        join(folder, 'o'),
      ],
      /World torn: .*listings\.venue_b\.json could not be read as JSON/,
    ],
    [
      'a now.txt without a valid time',
      ['--worlds', worlds('late', { late: { ...listings, 'now.txt': 'soon' } }), '--out', join(folder, 'o')],
      /World late: now\.txt contains "soon", which is not a time/,
    ],
    [
      '--a together with --worlds',
      ['--worlds', folder, '--out', join(folder, 'o'), '--a', a],
      /Omit --a, --b and --now/,
    ],
    ['no folder for the results', ['--worlds', folder], /--worlds needs --out DIR/],
  ])('reports %s and writes nothing', async (_, args, words) => {
    const result = await match(...args);
    expect([result.status, result.out, existsSync(join(folder, 'o'))]).toEqual([1, '', false]);
    expect(result.err).toMatch(words);
  });
});
