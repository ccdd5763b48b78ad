const LINE_WIDTH = 72;

type Syntax = {
  scalar(value: unknown): string;
  key(name: string): string;
  /** Spaces in the braces of an object on one line. */
  pad: string;
  indent: string;
};

const typescript: Syntax = {
  scalar: (value) => (typeof value === 'string' ? typescriptText(value) : JSON.stringify(value)),
  key: (name) => (/^[A-Za-z_]\w*$/.test(name) ? name : typescriptText(name)),
  pad: ' ',
  indent: '  ',
};

const python: Syntax = {
  scalar: (value) => {
    if (value === null) return 'None';
    if (typeof value === 'boolean') return value ? 'True' : 'False';
    return JSON.stringify(value);
  },
  key: (name) => JSON.stringify(name),
  pad: '',
  indent: '    ',
};

export function typescriptText(text: string): string {
  const escaped = JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'");
  return `'${escaped}'`;
}

/** A JSON value as TypeScript. `indent`: that of the line on which it begins. */
export const typescriptLiteral = (value: unknown, indent = ''): string => literal(value, indent, typescript);

/** A JSON value as Python: None, True and False. */
export const pythonLiteral = (value: unknown, indent = ''): string => literal(value, indent, python);

/** On one line where it fits. */
function literal(value: unknown, indent: string, syntax: Syntax): string {
  if (typeof value !== 'object' || value === null) return syntax.scalar(value);
  const isList = Array.isArray(value);
  const [open, close] = isList ? ['[', ']'] : ['{', '}'];
  const items = (deeper: string): string[] =>
    isList
      ? value.map((item) => literal(item, deeper, syntax))
      : Object.entries(value).map(([name, item]) => `${syntax.key(name)}: ${literal(item, deeper, syntax)}`);
  const short = items(indent).join(', ');
  if (short.length === 0) return open + close;
  const pad = isList ? '' : syntax.pad;
  if (!short.includes('\n') && indent.length + short.length <= LINE_WIDTH) return `${open}${pad}${short}${pad}${close}`;
  const deeper = indent + syntax.indent;
  return `${open}\n${items(deeper)
    .map((item) => `${deeper}${item},\n`)
    .join('')}${indent}${close}`;
}
