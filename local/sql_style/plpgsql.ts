import { parsePlPgSQLSync } from 'libpg-query';
import type { TransactionSql } from 'postgres';
import type { Sql } from '../platform/postgres/template.ts';
import { tokensOf } from './tokens.ts';

type FunctionRow = { name: string; definition: string; body: string; names: string[]; types: string[] };

/** A statement or an expression of a function body, with its line in the body. */
type Part = { text: string; line: number };
/** What the parser finds in a body: its variables with their types, and its parts. */
type Body = { variables: Map<string, string>; parts: Part[] };

/**
 * Names of tables, columns and functions, and types of arguments, that PL/pgSQL bodies get wrong.
 * PostgreSQL reads a body when it runs; here each of its statements becomes the body of an SQL
 * function, which PostgreSQL checks when it is created. Not checked: dynamic SQL, and statements
 * that use a variable of type `record`, whose columns are known when it runs.
 * `tests/jobs/plpgsql_check.system.test.ts` checks these too, on machines that have the extension.
 * All work is rolled back.
 */
export async function bodyFaults(sql: Sql): Promise<string[]> {
  const faults: string[] = [];
  await sql
    .begin(async (work) => {
      const functions = await work<FunctionRow[]>`
        select p.oid::regprocedure::text as name, pg_get_functiondef(p.oid) as definition, p.prosrc as body,
               coalesce(p.proargnames, '{}') as names,
               array(
                 select format_type(t.type, null)
                 from unnest(coalesce(p.proallargtypes, p.proargtypes::oid[])) with ordinality t (type, n)
                 order by t.n
               ) as types
        from pg_proc p
        join pg_language l on l.oid = p.prolang and l.lanname = 'plpgsql'
        join pg_namespace n on n.oid = p.pronamespace
        where n.nspowner = 'postgres'::regrole
        order by 1`;
      await work.unsafe(tryOut);
      for (const row of functions) faults.push(...(await faultsOf(work, row)));
      throw new Rollback();
    })
    .catch((error: unknown) => {
      if (!(error instanceof Rollback)) throw error;
    });
  return faults;
}

class Rollback extends Error {}

/** Runs a statement, undoes it, and returns its error. */
const tryOut = `
  set local search_path = '';
  create function pg_temp.try_out(p_statement text) returns text
  language plpgsql
  as $$
  begin
    begin
      execute p_statement;
      raise exception 'no error';
    exception
      when others then return nullif(sqlerrm, 'no error');
    end;
  end
  $$`;

async function faultsOf(work: TransactionSql, row: FunctionRow): Promise<string[]> {
  const body = readBody(row);
  if (!body) return [`${row.name}: the parser cannot read this function.`];
  // Later statements read the temporary tables of earlier ones.
  for (const { text } of body.parts) if (/^\s*create temporary table/i.test(text)) await work.unsafe(text);
  const known = [...body.variables].filter(([, type]) => type !== 'record');
  const unknown = new Set([...body.variables].filter(([, type]) => type === 'record').map(([name]) => name));
  const parts = body.parts.filter(
    ({ text }) => !CASE_VARIABLE.test(text) && !tokensOf(text).some((token) => unknown.has(token.text)),
  );
  const parameters = known.map(([name, type]) => `"${name}" ${type}`).join(', ');
  const probes = parts.map(
    ({ text }) => `create function pg_temp.probe(${parameters}) returns void language sql as $probe$ ${text} $probe$`,
  );
  const errors = await work<{ error: string | null }[]>`
    select pg_temp.try_out(p.probe) as error from unnest(${probes}::text[]) with ordinality p (probe, n) order by p.n`;
  return errors.flatMap(({ error }, index) => (error ? [`${row.name}, line ${parts[index]?.line}: ${error}`] : []));
}

/** The parser's own variable for what a `case` compares. It has no type. */
const CASE_VARIABLE = /"__Case__Variable_\d+__"/;

/** A declared variable that is an array of a type of ours. */
const COMPOSITE_ARRAY = /(\bv_\w+) +([a-z]\w*\.[a-z]\w*\[\])(?= *(?::=|;))/g;

/**
 * The parser knows no types of the database. It takes a composite one for a record, and refuses it
 * in some places: then it gets a header without types, and declarations without arrays of
 * composites.
 */
function readBody({ definition, body, names, types }: FunctionRow): Body | undefined {
  const parameters = names.map((name) => `${name} text`).join(', ');
  const simple = body.replaceAll(COMPOSITE_ARRAY, '$1 text');
  const arrays = [...body.matchAll(COMPOSITE_ARRAY)].map((match) => [match[1] ?? '', match[2] ?? ''] as const);
  const sources = [
    definition,
    ...['void', 'setof text', 'text'].map(
      (result) => `create function x.f(${parameters}) returns ${result} language plpgsql as $body$${simple}$body$`,
    ),
  ];
  for (const source of sources) {
    try {
      const given = names.map((name, at) => [name, types[at] ?? 'record'] as const);
      const found: Body = { variables: new Map([...given, ...arrays]), parts: [] };
      collect(parsePlPgSQLSync(source), found, 0);
      // Of a trigger: the rows are of the table that it is on.
      for (const name of ['new', 'old']) if (found.variables.has(name)) found.variables.set(name, 'record');
      return found;
    } catch {
      // The next source is simpler.
    }
  }
  return undefined;
}

type Json = { [key: string]: unknown };
type Expression = { query: string; parseMode?: number };
type Variable = { refname?: string; datatype?: { PLpgSQL_type?: { typname?: string } } };

/** Reads variables and parts from the parser's tree. */
function collect(tree: unknown, found: Body, line: number): void {
  if (Array.isArray(tree)) {
    for (const one of tree) collect(one, found, line);
  } else if (tree && typeof tree === 'object') {
    const node = tree as Json;
    const at = typeof node.lineno === 'number' ? node.lineno : line;
    if (node.PLpgSQL_expr) found.parts.push({ text: statementOf(node.PLpgSQL_expr as Expression), line: at });
    for (const variable of [node.PLpgSQL_var, node.PLpgSQL_rec] as (Variable | undefined)[]) {
      const name = variable?.refname;
      const type = variable?.datatype?.PLpgSQL_type?.typname;
      const isKnown = type !== undefined && type !== 'UNKNOWN';
      if (name && !found.variables.has(name))
        found.variables.set(name, isKnown ? type.replace(/%rowtype/i, '') : 'record');
    }
    for (const value of Object.values(node)) collect(value, found, at);
  }
}

/** The parser marks with `parseMode`: 0 a statement, 2 an expression, from 3 on an assignment. */
function statementOf({ query, parseMode = 0 }: Expression): string {
  if (parseMode === 0) return query;
  return `select ${parseMode === 2 ? query : query.replace(/^[^=]*?:?=/, '')}`;
}
