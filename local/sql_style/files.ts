import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { sqlFiles, sqlFolder } from '../platform/postgres/build.ts';
import { exceptions } from './exceptions.ts';
import { formatSql } from './format.ts';
import { type Fault, lintSql, type SqlFile } from './lint.ts';

/** The SQL files of a folder, in load order. */
export function readSql(folder = sqlFolder): SqlFile[] {
  return sqlFiles(folder).map((name) => ({ name, text: readFileSync(join(folder, name), 'utf8') }));
}

/** The files of a folder that the formatter would write otherwise. With `write` it does. */
export function formatFolder(folder = sqlFolder, { write }: { write: boolean }): string[] {
  return readSql(folder).flatMap(({ name, text }) => {
    const formatted = formatNamed(name, text);
    if (formatted === text) return [];
    if (write) writeFileSync(join(folder, name), formatted);
    return [name];
  });
}

function formatNamed(name: string, text: string): string {
  try {
    return formatSql(text);
  } catch (error) {
    throw new Error(`${name}: ${error instanceof Error ? error.message : error}`);
  }
}

/** The faults of the SQL files, one to a line: `file:line rule: message`. */
export function lintFindings(files = readSql()): string[] {
  const found = lintSql(files);
  const excuses = (fault: Fault) =>
    exceptions.find(({ rule, message }) => rule === fault.rule && message.test(fault.message));
  const idle = exceptions.filter((exception) => !found.some((fault) => excuses(fault) === exception));
  return [
    ...found
      .filter((fault) => !excuses(fault))
      .map(({ file, line, rule, message }) => `sql/${file}:${line} ${rule}: ${message}`),
    ...idle.map(({ message }) => `local/sql_style/exceptions.ts: ${message} matches no finding. Remove it.`),
  ];
}
