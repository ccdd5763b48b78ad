import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { checkResult, type Finding } from './finding.ts';

/**
 * Statements on the schema `realtime`. The role postgres of a hosted project may create, alter and
 * drop policies there and nothing else (supautils; `comment on policy` since 3.4.0 only). Any other
 * statement ends with "must be owner" and rolls the whole migration back.
 */
const STATEMENTS =
  /\b(comment on (?:table|column|policy)|alter table|create (?:index|trigger|table)|drop (?:index|trigger|table))\b[^;]*?\brealtime\.\w+/gi;

/** The statements of `sql` that only the owner of realtime.messages may run, each with its line. */
export function ownerStatements(sql: string): string[] {
  const code = sql.replace(/--[^\n]*/g, (comment) => ' '.repeat(comment.length));
  return [...code.matchAll(STATEMENTS)].map((match) => {
    const line = code.slice(0, match.index).split('\n').length;
    return `line ${line}: ${match[1]?.toLowerCase()}`;
  });
}

export function hostedRightsFinding(folder: string): Finding {
  const migrations = join(folder, 'supabase', 'migrations');
  const errors = readdirSync(migrations).flatMap((file) =>
    ownerStatements(readFileSync(join(migrations, file), 'utf8')).map(
      (statement) => `${file}, ${statement} on the schema realtime, which its owner alone may run`,
    ),
  );
  return checkResult(
    'rights of postgres when hosted',
    errors,
    'the migrations only create policies in the schema realtime',
  );
}
