import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import * as knownA from '../../functions/ingest/venue_a/known_fields.ts';
import * as schemasA from '../../functions/ingest/venue_a/schemas.ts';
import * as knownB from '../../functions/ingest/venue_b/known_fields.ts';
import * as schemasB from '../../functions/ingest/venue_b/schemas.ts';

/**
 * Guarantee: docs/venues.md names everything that the adapters read, and has every section that
 * code and documents cite.
 */

const root = join(import.meta.dirname, '../..');
const page = readFileSync(join(root, 'docs/venues.md'), 'utf8');
/** All words within backticks, and the parts of `msg.side`. */
const named = new Set([...page.matchAll(/`([^`\n]+)`/g)].flatMap(([, code = '']) => code.match(/[\w-]+/g) ?? []));

function filesUnder(...folders: string[]): Map<string, string> {
  const names = folders.flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name)),
  );
  const texts = names.filter((name) => /\.(?:ts|tsx|sql|json|md)$/.test(name) && !/node_modules|dist\//.test(name));
  return new Map(texts.map((name) => [name, readFileSync(join(root, name), 'utf8')]));
}

/** The names of all fields of a schema, at any depth. */
function fieldsOf(schema: unknown, found = new Set<string>()): Set<string> {
  if (!(schema instanceof z.ZodType)) return found;
  if (schema instanceof z.ZodObject) {
    for (const [name, child] of Object.entries(schema.shape)) {
      found.add(name);
      fieldsOf(child, found);
    }
  }
  const { element, innerType, out } = schema.def as { element?: unknown; innerType?: unknown; out?: unknown };
  for (const child of [element, innerType, out]) fieldsOf(child, found);
  return found;
}

/** Paths of REST requests, with placeholders as `{}`. */
function pathsIn(files: ReadonlyMap<string, string>): string[] {
  const found = new Set<string>();
  for (const text of files.values()) {
    for (const [, path = ''] of text.matchAll(/(?:\b(?:get|post)\(|#get\(|_PATH = )\s*['"`](\/[^'"`]+)['"`]/g))
      found.add(path.replace(/\$?\{[^}]*\}+/g, '{}'));
  }
  return [...found].sort();
}

/** Sections and sources that a text cites: "venues.md A5, A6", "venues.md B1 to B4, G". */
function citationsIn(text: string): string[] {
  const joined = text.replace(/\n\s*(?:\*|\/\/|--|')?\s*/g, ' ');
  return [...joined.matchAll(/venues\.md((?:,? (?:to |and |section |source )?[A-GKPRX]\d{0,2}\b)+)/g)].flatMap(
    ([, list = '']) => list.match(/\b[A-GKPRX]\d{0,2}\b/g) ?? [],
  );
}

describe('docs/venues.md', () => {
  test.each([
    ['venue_a', schemasA],
    ['venue_b', schemasB],
  ])('names every field of the schemas of %s', (_, schemas) => {
    const fields = new Set<string>();
    for (const schema of Object.values(schemas)) fieldsOf(schema, fields);
    expect(fields.size).toBeGreaterThan(35);
    expect([...fields].filter((field) => !named.has(field))).toEqual([]);
  });

  test('names every message type of both sockets', () => {
    const types = [...knownA.messageTypes, ...knownB.messageTypes];
    expect(types.length).toBeGreaterThan(10);
    expect(types.filter((type) => !named.has(type))).toEqual([]);
  });

  test('names every endpoint that the adapters request', () => {
    const paths = pathsIn(filesUnder('functions/ingest/venue_a', 'functions/ingest/venue_b'));
    expect(paths.length).toBeGreaterThan(12);
    const documented = new Set(
      [...page.matchAll(/`(?:GET|POST) (\/[^`\s]+)`/g)].map(([, path = '']) => path.replace(/\{[^}]*\}/g, '{}')),
    );
    expect(paths.filter((path) => !documented.has(path))).toEqual([]);
  });

  test('names every raw field that the parsers of questions read, and the counter knows it', () => {
    const known = new Set(
      [knownA.eventFields, knownA.marketFields, knownB.eventFields, knownB.marketFields].flatMap((names) => [...names]),
    );
    const read = new Set<string>();
    for (const text of filesUnder('functions/ingest/identity').values()) {
      for (const [, field = ''] of text.matchAll(
        /\b(?:text|strings|records|record|amount|opening|joined)\((?:event|market|raw)\.(\w+)\b/g,
      ))
        read.add(field);
    }
    expect(read.size).toBeGreaterThan(25);
    expect([...read].filter((field) => !known.has(field))).toEqual([]);
    expect([...read].filter((field) => !named.has(field))).toEqual([]);
  });

  test('has every section and source that code and documents cite', () => {
    const headings = [...page.matchAll(/^#{2,3} ([A-G]\d?)\. /gm)].map(([, name = '']) => name);
    const rows = [...page.matchAll(/^\| (G\d+) \|/gm)].map(([, name = '']) => name);
    const sources = [...page.slice(page.indexOf('## Sources')).matchAll(/\b[KPRX]\d{1,2}\b/g)].map(([name]) => name);
    const known = new Set([...headings, ...rows, ...sources]);
    expect(known.size).toBeGreaterThan(40);
    const missing: string[] = [];
    let cited = 0;
    for (const [file, text] of filesUnder('functions', 'local', 'sql', 'tests', 'docs')) {
      for (const section of file.endsWith('venues_doc.test.ts') ? [] : citationsIn(text)) {
        cited += 1;
        if (!known.has(section)) missing.push(`${file}: ${section}`);
      }
    }
    // The page cites its own sources in its tables.
    for (const [code] of page.slice(0, page.indexOf('## Sources')).matchAll(/\b[KPRX]\d{1,2}\b/g))
      if (!known.has(code)) missing.push(`docs/venues.md: ${code}`);
    expect(cited).toBeGreaterThan(50);
    expect(missing).toEqual([]);
  });

  test('the checks find a field, a path and a citation that the page lacks', () => {
    const schema = z.object({ outer: z.array(z.looseObject({ inner: z.string().nullish() })) });
    expect([...fieldsOf(schema)]).toEqual(['outer', 'inner']);
    const code = `get('/new');\nthis.#get(\`/a/\${encodeURIComponent(x)}/b\`, {});\nexport const BATCH_PATH = '/c';`;
    expect(pathsIn(new Map([['x.ts', code]]))).toEqual(['/a/{}/b', '/c', '/new']);
    expect(citationsIn('(venues.md\n * B3) and venues.md A5, A6; venues.md B1 to B4, G).')).toEqual([
      ...['B3', 'A5', 'A6', 'B1', 'B4', 'G'],
    ]);
  });
});
