import { type CreateFunctionStmt, type Node, parseSync, type RangeVar, type TypeName } from 'libpg-query';
import { type Token, tokensOf } from './tokens.ts';
import { CODE_WIDTH, PROSE_WIDTH } from './wrap.ts';

export type SqlFile = { name: string; text: string };
export type Fault = { file: string; line: number; rule: string; message: string };

/** What the files create, and what they state about it elsewhere: a fact is `kind name`. */
type Facts = { made: { fact: string; needs: Need[]; file: string; line: number }[]; stated: Set<string> };
type Need = { rule: string; fact: string; message: string };

/** The faults of `files`, which are read as one database. */
export function lintSql(files: readonly SqlFile[]): Fault[] {
  const facts: Facts = { made: [], stated: new Set() };
  const faults = files.flatMap((file) => [...widthFaults(file), ...lintFile(file, facts)]);
  for (const { needs, file, line } of facts.made) {
    for (const { rule, fact, message } of needs) {
      if (!facts.stated.has(fact)) faults.push({ file, line, rule, message });
    }
  }
  return faults.sort((a, b) => (a.file === b.file ? a.line - b.line : a.file < b.file ? -1 : 1));
}

function widthFaults({ name, text }: SqlFile): Fault[] {
  return text.split('\n').flatMap((row, index) => {
    const width = row.trimStart().startsWith('--') ? PROSE_WIDTH : CODE_WIDTH;
    const message = `This line has ${row.length} columns: ${width} is the most, and the formatter cannot break it.`;
    return row.length > width ? [{ file: name, line: index + 1, rule: 'width', message }] : [];
  });
}

function lintFile({ name: file, text }: SqlFile, facts: Facts): Fault[] {
  const bytes = Buffer.from(text);
  const lineAt = (offset: number) => bytes.toString('utf8', 0, offset).split('\n').length;
  const faults: Fault[] = [];
  let parsed: ReturnType<typeof parseSync>;
  try {
    parsed = parseSync(text);
  } catch (error) {
    const { message, sqlDetails } = error as Error & { sqlDetails?: { cursorPosition?: number } };
    return [{ file, line: lineAt(sqlDetails?.cursorPosition ?? 0), rule: 'syntax', message }];
  }
  for (const { stmt, stmt_location: from = 0, stmt_len: length } of parsed.stmts ?? []) {
    if (!stmt) continue;
    const written = bytes.toString('utf8', from, length ? from + length : undefined);
    const firstLine = lineAt(from);
    const tokens = tokensOf(written, firstLine);
    const line = tokens.find((token) => token.kind !== 'comment')?.line ?? firstLine;
    const report = (rule: string, message: string, at = line) => faults.push({ file, line: at, rule, message });
    new StatementLinter(
      tokens,
      report,
      (fact, needs) => facts.made.push({ fact, needs, file, line }),
      facts.stated,
    ).lint(stmt);
  }
  return faults;
}

type Report = (rule: string, message: string, line?: number) => void;

class StatementLinter {
  readonly #tokens: readonly Token[];
  readonly #report: Report;
  readonly #made: (fact: string, needs: Need[]) => void;
  readonly #stated: Set<string>;

  constructor(
    tokens: readonly Token[],
    report: Report,
    made: (fact: string, needs: Need[]) => void,
    stated: Set<string>,
  ) {
    this.#tokens = tokens;
    this.#report = report;
    this.#made = made;
    this.#stated = stated;
  }

  lint(statement: Node): void {
    this.#inserts(flat(this.#tokens));
    if ('CreateFunctionStmt' in statement) this.#function(statement.CreateFunctionStmt);
    else if ('CreateStmt' in statement) this.#table(statement);
    else if ('ViewStmt' in statement) this.#view(statement);
    else if ('CreatePolicyStmt' in statement) this.#policy(statement);
    else if ('CompositeTypeStmt' in statement) this.#relation('type', statement.CompositeTypeStmt.typevar);
    else if ('CreateDomainStmt' in statement) this.#create('domain', wordsOf(statement.CreateDomainStmt.domainname));
    else if ('CreateEnumStmt' in statement) this.#create('type', wordsOf(statement.CreateEnumStmt.typeName));
    else if ('CommentStmt' in statement) this.#comment(statement);
    else if ('AlterTableStmt' in statement) this.#alter(statement);
  }

  #create(kind: string, words: string[], more: Need[] = []): void {
    const name = words.join('.');
    if (words.length < 2) this.#report('schema', `The name of ${kind} ${name} has no schema.`);
    const comment = {
      rule: 'comment',
      fact: `comment ${kind} ${name}`,
      message: `There is no "comment on ${kind} ${name}".`,
    };
    this.#made(`${kind} ${name}`, [comment, ...more]);
  }

  #relation(kind: string, relation: RangeVar | undefined, more: Need[] = []): void {
    if (relation?.relpersistence === 't') return;
    this.#create(
      kind,
      [relation?.schemaname, relation?.relname].filter((word) => word !== undefined),
      more,
    );
  }

  #table({ CreateStmt: { relation, tableElts = [], partbound } }: Extract<Node, { CreateStmt: unknown }>): void {
    const name = `${relation?.schemaname}.${relation?.relname}`;
    const needs = (['enable', 'force'] as const).map((verb) => ({
      rule: 'row-security',
      fact: `${verb} ${name}`,
      message: `There is no "alter table ${name} ${verb} row level security".`,
    }));
    if (!partbound) this.#relation('table', relation, needs);
    for (const element of tableElts) {
      if (!('ColumnDef' in element)) continue;
      const { colname, typeName } = element.ColumnDef;
      const better = betterTypes[typeName ? typeOf(typeName) : ''];
      if (better) this.#report('type', `Column ${colname} of ${name}: use ${better}.`);
    }
  }

  #view({ ViewStmt: { view, options = [] } }: Extract<Node, { ViewStmt: unknown }>): void {
    this.#relation('view', view);
    const invoker = options.some((option) => 'DefElem' in option && option.DefElem.defname === 'security_invoker');
    if (!invoker)
      this.#report('invoker', `View ${view?.schemaname}.${view?.relname} has no "with (security_invoker = true)".`);
  }

  #policy({ CreatePolicyStmt: policy }: Extract<Node, { CreatePolicyStmt: unknown }>): void {
    const name = `policy "${policy.policy_name}" on ${policy.table?.schemaname}.${policy.table?.relname}`;
    const everyone = (policy.roles ?? []).some(
      (role) => 'RoleSpec' in role && role.RoleSpec.roletype === 'ROLESPEC_PUBLIC',
    );
    if (everyone) this.#report('policy', `${name} names no role ("to …").`);
    if (policy.cmd_name === 'all') this.#report('policy', `${name} is for all operations: write one for each.`);
  }

  #comment({ CommentStmt: { objtype, object } }: Extract<Node, { CommentStmt: unknown }>): void {
    const kind = objtype?.replace('OBJECT_', '').toLowerCase();
    if (!object) return;
    if ('ObjectWithArgs' in object) {
      const { objname = [], objargs = [] } = object.ObjectWithArgs;
      this.#stated.add(`comment ${kind} ${wordsOf(objname).join('.')}/${objargs.length}`);
    } else if ('List' in object) this.#stated.add(`comment ${kind} ${wordsOf(object.List.items).join('.')}`);
    else if ('TypeName' in object) this.#stated.add(`comment ${kind} ${wordsOf(object.TypeName.names).join('.')}`);
  }

  #alter({ AlterTableStmt: { relation, cmds = [] } }: Extract<Node, { AlterTableStmt: unknown }>): void {
    for (const command of cmds) {
      const subtype = 'AlterTableCmd' in command ? command.AlterTableCmd.subtype : undefined;
      const verb = { AT_EnableRowSecurity: 'enable', AT_ForceRowSecurity: 'force' }[subtype as string];
      if (verb) this.#stated.add(`${verb} ${relation?.schemaname}.${relation?.relname}`);
    }
  }

  #function({ funcname, parameters = [], options = [], sql_body }: CreateFunctionStmt): void {
    const inputs = parameters.flatMap((node) => ('FunctionParameter' in node ? [node.FunctionParameter] : []));
    const isInput = (mode: string | undefined) => mode !== 'FUNC_PARAM_OUT' && mode !== 'FUNC_PARAM_TABLE';
    const given = inputs.filter(({ mode }) => isInput(mode));
    const words = wordsOf(funcname);
    this.#create('function', [...words.slice(0, -1), `${words.at(-1)}/${given.length}`]);
    const sets = options.flatMap((node) => ('DefElem' in node && node.DefElem.arg ? [node.DefElem.arg] : []));
    const hasPath = sets.some((arg) => 'VariableSetStmt' in arg && arg.VariableSetStmt.name === 'search_path');
    if (!hasPath && !sql_body)
      this.#report('search-path', `Function ${words.join('.')} has no "set search_path = ''".`);
    for (const { name } of given) {
      if (name && !name.startsWith('p_'))
        this.#report('naming', `Parameter ${name} of ${words.join('.')}: begin it with p_.`);
    }
    this.#unused(
      words.join('.'),
      given.flatMap(({ name }) => name ?? []),
    );
  }

  /** Parameters and variables that the body never reads. */
  #unused(name: string, parameters: string[]): void {
    const body = this.#tokens.findLast((token) => token.body)?.body;
    const used = (body ?? this.#tokens).filter((token) => token.kind !== 'comment').map((token) => token.text);
    for (const parameter of parameters) {
      const times = used.filter((text) => text === parameter).length;
      if (times < (body ? 1 : 2)) this.#report('unused', `Function ${name} does not use its parameter ${parameter}.`);
    }
    for (const { text, line } of declared(body ?? [])) {
      if (used.filter((word) => word === text).length < 2) {
        this.#report('unused', `Function ${name} does not use its variable ${text}.`, line);
      }
      if (!text.startsWith('v_')) this.#report('naming', `Variable ${text} of ${name}: begin it with v_.`, line);
    }
  }

  /**
   * Without names of columns, values go by position: only a whole row (`r.*`) of a type of the same
   * columns may do so.
   */
  #inserts(tokens: readonly Token[]): void {
    tokens.forEach((token, index) => {
      if (token.text !== 'insert' || tokens[index + 1]?.text !== 'into') return;
      let at = index + 3;
      while (tokens[at]?.text === '.') at += 2;
      if (tokens[at]?.text === 'as') at += 2;
      if (!['select', 'values', 'with'].includes(tokens[at]?.text ?? '')) return;
      const end = tokens.findIndex(({ text }, place) => place > at && (text === 'from' || text === ';'));
      const list = tokens.slice(at, end < 0 ? undefined : end);
      const wholeRow = list.some(({ text }, place) => text === '*' && list[place - 1]?.text === '.');
      if (!wholeRow) this.#report('insert', 'This insert names no columns.', token.line);
    });
  }
}

/** The tokens with those of bodies among them, without comments. */
function flat(tokens: readonly Token[]): Token[] {
  return tokens.flatMap((token) => (token.body ? flat(token.body) : token.kind === 'comment' ? [] : [token]));
}

/** The names that the `declare` sections of a body declare. */
function declared(body: readonly Token[]): Token[] {
  const tokens = flat(body);
  const names: Token[] = [];
  let declares = false;
  tokens.forEach((token, index) => {
    const before = tokens[index - 1]?.text;
    if (token.text === 'begin') declares = false;
    else if (declares && (before === 'declare' || before === ';')) names.push(token);
    if (token.text === 'declare') declares = true;
  });
  return names;
}

/** Column types that have a better one. */
const betterTypes: Record<string, string> = {
  varchar: 'text, with a check of its length',
  bpchar: 'text',
  timestamp: 'timestamptz',
  timetz: 'timestamptz',
  money: 'bigint in millionths of a dollar, or numeric',
  float4: 'numeric, or integers of the smallest unit',
  serial: 'bigint generated always as identity',
  bigserial: 'bigint generated always as identity',
};

const typeOf = ({ names = [] }: TypeName): string => wordsOf(names).at(-1) ?? '';

const wordsOf = (nodes: Node[] = []): string[] =>
  nodes.flatMap((node) => ('String' in node && node.String.sval !== undefined ? [node.String.sval] : []));
