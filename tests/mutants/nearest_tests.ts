import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, join, relative } from 'node:path';
import { reachedFrom } from '../support/imports.ts';
import { type Layer, layerOf } from '../support/layer.ts';
import type { Mutant } from './mutant.ts';
import { sourceFiles } from './sample.ts';

/**
 * Which tests are likely to notice a mutant: first those that reach its file, or mention its SQL
 * object or a caller of it, in few steps, and whose names say so.
 */

/** They need many seconds and notice nothing that a test of the subject does not. */
const HEAVY = /^tests\/(?:repository|mutants)\/|fuzz\/(?:texts|listings)|identity\/(?:ladder_attack|.*[._]recorded)/;
/** Words of names that say nothing about a subject. */
const COMMON = new Set([
  'get',
  'of',
  'is',
  'test',
  'tests',
  'db',
  'the',
  'list',
  'ts',
  'functions',
  'sql',
  'v2',
  'to',
  'for',
  'all',
  'create',
  'read',
]);

/** What a system test starts as a process, without an import of it. */
const STARTED: [folder: string, test: string][] = [
  ['functions/deliver/', 'tests/webhook/deliver.system.test.ts'],
  ['functions/export/', 'tests/export/function.system.test.ts'],
  ['functions/ingest/', 'tests/ingest/function.system.test.ts'],
  ['functions/stream/', 'tests/stream/function/lifecycle.system.test.ts'],
  ['functions/api/', 'tests/api/deno.system.test.ts'],
  ['functions/_shared/', 'tests/webhook/function.system.test.ts'],
];

/** The words of a text in small letters and without a plural: `personKeys` has person and key. */
const plainWords = (text: string): string[] =>
  [...text.replace(/([a-z])([A-Z])/g, '$1 $2').matchAll(/[a-z]+/gi)].map(([word]) =>
    word.toLowerCase().replace(/s$/, ''),
  );
const wordsOf = (name: string): Set<string> =>
  new Set(plainWords(name).filter((word) => word.length > 1 && !COMMON.has(word)));

const overlapOf = (one: ReadonlySet<string>, other: ReadonlySet<string>): number =>
  [...one].filter((word) => other.has(word)).length;

type Test = {
  file: string;
  layer: Layer;
  words: Set<string>;
  /** How often each word is in its own text. */
  counts: Map<string, number>;
  /** Every file that it loads, with the number of imports on the way. */
  reached: Map<string, number>;
  /** The schema-qualified names in its own text and in that of its support files. */
  mentioned: Map<string, number>;
};

const NAME = /\b([a-z_]+\.[a-z_]+)\b/g;
/** How much a test speaks of these words: 0 to 4. */
function mentionsOf({ counts }: Test, words: ReadonlySet<string>): number {
  const each = [...words].map((word) => Math.log2(1 + (counts.get(word) ?? 0)));
  return Math.min(4, each.reduce((sum, one) => sum + one, 0) / Math.max(1, words.size));
}

/** What a name costs that is mentioned in a support file, and in a function that the test loads. */
const IN_SUPPORT = 1;
const IN_FUNCTION = 3;

function countsOf(file: string): Map<string, number> {
  const counts = new Map<string, number>();
  for (const word of plainWords(readFileSync(file, 'utf8'))) counts.set(word, (counts.get(word) ?? 0) + 1);
  return counts;
}

export class NearestTests {
  readonly #root: string;
  readonly #tests: Test[];
  /** The SQL objects that mention each object. */
  readonly #callers = new Map<string, Set<string>>();

  constructor(root: string) {
    this.#root = root;
    this.#tests = this.#findTests();
    this.#findCallers();
  }

  /** The tests of a mutant in stages. A stage runs where the one before it noticed nothing. */
  stagesFor(mutant: Mutant): string[][] {
    return mutant.statement ? this.#stagesForSql(mutant) : this.#stagesForTypescript(mutant);
  }

  #stagesForTypescript({ file, within }: Mutant): string[][] {
    const words = wordsOf(file);
    const subject = new Set([...wordsOf(basename(file, '.ts')), ...wordsOf(within)]);
    const path = join(this.#root, file);
    const near = (layer: Layer) =>
      this.#tests
        .filter((test) => test.layer === layer && test.reached.has(path))
        .map((test) => ({
          file: test.file,
          score: (test.reached.get(path) ?? 9) - 2 * overlapOf(words, test.words) - mentionsOf(test, subject),
        }))
        .sort((one, other) => one.score - other.score)
        .map((test) => test.file);
    const [unit, db] = [near('unit'), near('db')];
    const hasUnit = unit.length > 0;
    // A system test takes long: one, and only where the others notice nothing.
    const system = near('system').slice(0, 1);
    const stages = [
      unit.slice(0, 6),
      [...unit.slice(6, 16), ...db.slice(0, hasUnit ? 1 : 3)],
      db.slice(hasUnit ? 1 : 3, hasUnit ? 4 : 7),
      db.slice(hasUnit ? 4 : 7, hasUnit ? 8 : 12),
      ...(system.length > 0 ? [system] : this.#started(file)),
    ];
    return stages.filter((stage) => stage.length > 0);
  }

  /** The system test that starts the program of a file. */
  #started(file: string): string[][] {
    const test = STARTED.find(([folder]) => file.startsWith(folder))?.[1];
    return test !== undefined && existsSync(join(this.#root, test)) ? [[test]] : [];
  }

  #stagesForSql({ file, statement }: Mutant): string[][] {
    const name = statement?.name ?? '';
    const distances = this.#callersOf(name);
    const words = wordsOf(`${name} ${file}`);
    const subject = wordsOf(name);
    const near = this.#tests
      .filter((test) => test.layer === 'db')
      .map((test) => {
        let distance = 8;
        for (const [caller, steps] of distances)
          distance = Math.min(distance, steps + (test.mentioned.get(caller) ?? Number.POSITIVE_INFINITY));
        return { file: test.file, score: distance - 1.5 * overlapOf(words, test.words) - mentionsOf(test, subject) };
      })
      .sort((one, other) => one.score - other.score)
      .map((test) => test.file);
    return [near.slice(0, 3), near.slice(3, 7), near.slice(7, 12)];
  }

  /** An object and all that call it, with the number of steps. */
  #callersOf(name: string): Map<string, number> {
    const steps = new Map([[name, 0]]);
    for (const [object, at] of steps) {
      if (at >= 6) continue;
      for (const caller of this.#callers.get(object) ?? []) if (!steps.has(caller)) steps.set(caller, at + 1);
    }
    return steps;
  }

  #findTests(): Test[] {
    const folder = join(this.#root, 'tests');
    const mentions = new Map<string, string[]>();
    const namesIn = (file: string): string[] => {
      const known = mentions.get(file);
      if (known) return known;
      const names = [...new Set([...readFileSync(file, 'utf8').matchAll(NAME)].map(([, name = '']) => name))];
      mentions.set(file, names);
      return names;
    };
    return readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .map((name) => `tests/${name.replaceAll('\\', '/')}`)
      .filter((name) => name.endsWith('.test.ts') && !name.endsWith('.slow.test.ts') && !HEAVY.test(name))
      .map((file) => {
        const layer = layerOf(file);
        const paths = reachedFrom(join(this.#root, file));
        const reached = new Map([...paths].map(([path, way]) => [path, way.length - 1]));
        const mentioned = new Map<string, number>();
        for (const [path] of layer === 'db' ? reached : []) {
          const where = relative(this.#root, path);
          if (!/^(?:tests|functions)\//.test(where) || !existsSync(path)) continue;
          const cost = where === file ? 0 : where.startsWith('tests/') ? IN_SUPPORT : IN_FUNCTION;
          for (const name of namesIn(path)) mentioned.set(name, Math.min(cost, mentioned.get(name) ?? cost));
        }
        return { file, layer, words: wordsOf(file), counts: countsOf(join(this.#root, file)), reached, mentioned };
      });
  }

  #findCallers(): void {
    for (const file of sourceFiles(this.#root).filter((name) => name.endsWith('.sql'))) {
      const text = readFileSync(join(this.#root, file), 'utf8');
      const parts = text.split(/^create (?:or replace )?(?:function|view|table|trigger|policy)\b/m).slice(1);
      for (const part of parts) {
        const [name = '', ...others] = [...part.matchAll(NAME)].map(([, found = '']) => found);
        for (const other of others) {
          if (other === name) continue;
          const callers = this.#callers.get(other) ?? new Set();
          callers.add(name);
          this.#callers.set(other, callers);
        }
      }
    }
  }
}
