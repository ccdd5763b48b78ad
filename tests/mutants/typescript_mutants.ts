import { parseAst } from 'vite';
import { type Change, type Mutant, toMutants } from './mutant.ts';

type Node = { type: string; start: number; end: number; [field: string]: unknown };

/** The mutants of a module. */
export function typescriptMutants(file: string, text: string): Mutant[] {
  const changes: Change[] = [];
  const program = parseAst(text, { lang: file.endsWith('x') ? 'tsx' : 'ts' }, file) as unknown as Node;
  visit(program, '', text, changes);
  return toMutants(file, text, changes, () => null);
}

/** What these write is a log line, a document or the text of an error, which no test pins. */
const SILENT = /^(?:log|warn|info|debug|describe|meta|defineError)$/;

function visit(node: Node, within: string, text: string, changes: Change[]): void {
  // Types, imports and the texts of errors have no effect that a test could see.
  if (node.type.startsWith('TS') && !/^TS(?:As|NonNull|Satisfies)/.test(node.type)) return;
  if (/^(?:Import|ExportAll|Throw)/.test(node.type) || isSilent(node)) return;
  changes.push(...changesOf(node, text).map((change) => ({ ...change, within })));
  const own = functionName(node, text);
  for (const child of childrenOf(node)) visit(child, own ?? within, text, changes);
}

/** The name that V8 gives to the function of a node; null for a node without one. */
function functionName(node: Node, text: string): string | null {
  const isFunction = (value: unknown) => isNode(value) && /Function/.test(value.type);
  const named = (key: unknown) => (isNode(key) ? text.slice(key.start, key.end).replace(/^['"]|['"]$/g, '') : '');
  switch (node.type) {
    case 'FunctionDeclaration':
      return named(node.id);
    case 'VariableDeclarator':
      return isFunction(node.init) ? named(node.id) : null;
    case 'Property':
      return isFunction(node.value) ? named(node.key) : null;
    case 'PropertyDefinition':
      return isFunction(node.value) ? named(node.key) : '<instance_members_initializer>';
    case 'MethodDefinition':
      // A constructor has the name of its class, which no other function of the file has.
      if (node.kind === 'constructor') return '';
      return `${node.kind === 'get' || node.kind === 'set' ? `${node.kind} ` : ''}${named(node.key)}`;
    default:
      return null;
  }
}

function childrenOf(node: Node): Node[] {
  return Object.entries(node)
    .filter(([name]) => name !== 'typeAnnotation' && name !== 'typeArguments' && name !== 'typeParameters')
    .flatMap(([, value]) => (Array.isArray(value) ? value : [value]))
    .filter(isNode);
}

const isNode = (value: unknown): value is Node => typeof value === 'object' && value !== null && 'type' in value;

/** The last name of what is called: `log` of `this.#options.log(…)`. */
function calledName(node: Node): string {
  if (node.type !== 'CallExpression') return '';
  const callee = node.callee as Node;
  const name = callee.type === 'MemberExpression' ? (callee.property as Node) : callee;
  return typeof name.name === 'string' ? name.name : '';
}

const isSilent = (node: Node): boolean => SILENT.test(calledName(node));

const BINARY: Record<string, string> = {
  ...{ '<': '<=', '<=': '<', '>': '>=', '>=': '>' },
  ...{ '===': '!==', '!==': '===', '+': '-', '-': '+', '*': '/', '/': '*', '%': '*' },
};
const TWINS: Record<string, string> = {
  ...{ some: 'every', every: 'some', min: 'max', max: 'min', startsWith: 'endsWith', endsWith: 'startsWith' },
  ...{ ceil: 'floor', floor: 'ceil', round: 'floor', push: 'unshift', shift: 'pop', pop: 'shift' },
};
/** Calls that give a list or a text like the one that they have. */
const REMOVABLE = /^(?:filter|sort|toSorted|reverse|trim|toLowerCase|toUpperCase|slice|flat)$/;

function changesOf(node: Node, text: string): Change[] {
  const { start, end } = node;
  const source = (part: unknown) => text.slice((part as Node).start, (part as Node).end);
  const change = (rule: string, to: string, from = start, upTo = end): Change => ({ rule, start: from, end: upTo, to });
  const test = (part: unknown, rule: string, ...values: string[]) =>
    values.map((value) => change(rule, value, (part as Node).start, (part as Node).end));
  switch (node.type) {
    case 'BinaryExpression': {
      const [left, right] = [node.left as Node, node.right as Node];
      const operator = String(node.operator);
      const to = BINARY[operator];
      if (to === undefined || (operator === '+' && (isText(left) || isText(right)))) return [];
      const at = text.indexOf(operator, left.end);
      return at < 0 || at >= right.start
        ? []
        : [change(/^[<>=!]/.test(operator) ? 'comparison' : 'arithmetic', to, at, at + operator.length)];
    }
    case 'LogicalExpression': {
      const operator = String(node.operator);
      const [left, right] = [node.left as Node, node.right as Node];
      if (operator === '??') return isOfTheTypes(left, right) ? [] : [change('default dropped', `(${source(left)})`)];
      const at = text.indexOf(operator, left.end);
      return at < 0 || at >= right.start ? [] : [change('and, or', operator === '&&' ? '||' : '&&', at, at + 2)];
    }
    case 'ConditionalExpression':
      return test(node.test, 'condition', 'true', 'false');
    case 'IfStatement':
      return test(node.test, 'condition', 'true', 'false');
    case 'WhileStatement':
      return test(node.test, 'condition', 'false');
    case 'UnaryExpression':
      return node.operator === '!' ? [change('not', source(node.argument))] : [];
    case 'Literal': {
      if (typeof node.value === 'boolean') return [change('truth', node.value ? 'false' : 'true')];
      if (typeof node.value === 'number') return [change('number', String(node.value + 1))];
      return typeof node.bigint === 'string' ? [change('number', `${BigInt(node.bigint) + 1n}n`)] : [];
    }
    case 'AssignmentExpression': {
      const to = { '+=': '-=', '-=': '+=', '||=': '&&=', '&&=': '||=' }[String(node.operator)];
      const at = text.indexOf(String(node.operator), (node.left as Node).end);
      return to === undefined ? [] : [change('arithmetic', to, at, at + to.length)];
    }
    case 'UpdateExpression':
      return [];
    case 'CallExpression':
      return callChanges(node, text);
    case 'ExpressionStatement': {
      const expression = unwrapped(node.expression as Node);
      if (!/^(?:Call|Assignment|Update)Expression$/.test(expression.type) || isSilent(expression)) return [];
      return calledName(expression) === '' && (expression.callee as Node | undefined)?.type === 'Super'
        ? []
        : [change('statement dropped', ';')];
    }
    case 'ReturnStatement':
      return node.argument === null ? [change('statement dropped', ';')] : [];
    case 'ArrayExpression':
      return shortened(node, text);
    default:
      return [];
  }
}

/** `match[1] ?? ''`: the types demand a default where the element is always there. */
const isOfTheTypes = (left: Node, right: Node): boolean =>
  left.type === 'MemberExpression' && typeof (left.property as Node).value === 'number' && right.type === 'Literal';

const isText = (node: Node): boolean =>
  node.type === 'TemplateLiteral' ||
  (node.type === 'Literal' && typeof node.value === 'string') ||
  (node.type === 'BinaryExpression' && (isText(node.left as Node) || isText(node.right as Node)));

const unwrapped = (node: Node): Node =>
  (node.type === 'AwaitExpression' || node.type === 'UnaryExpression') && isNode(node.argument)
    ? unwrapped(node.argument)
    : node;

function callChanges(node: Node, text: string): Change[] {
  const callee = node.callee as Node;
  if (callee.type !== 'MemberExpression' || callee.computed === true) return [];
  const [object, property] = [callee.object as Node, callee.property as Node];
  const name = calledName(node);
  const twin = Object.hasOwn(TWINS, name) ? TWINS[name] : undefined;
  if (twin) return [{ rule: 'twin function', start: property.start, end: property.end, to: twin }];
  if (!REMOVABLE.test(name)) return [];
  return [{ rule: 'call dropped', start: node.start, end: node.end, to: text.slice(object.start, object.end) }];
}

/** A list of texts loses its last one. */
function shortened(node: Node, text: string): Change[] {
  const elements = node.elements as (Node | null)[];
  const [before, last] = elements.slice(-2);
  if (!before || !last || !elements.every((one) => one?.type === 'Literal' && typeof one.value === 'string')) return [];
  const end = text.slice(before.end, last.end);
  return end.includes('//') ? [] : [{ rule: 'value dropped', start: before.end, end: last.end, to: '' }];
}
