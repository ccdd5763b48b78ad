export type Toml = { [key: string]: string | number | boolean | string[] | Toml };

/**
 * The part of TOML that supabase/config.toml is written in: tables, and keys with strings, numbers, booleans and arrays of strings on one
 * line. @throws Error that names the line of anything else, rather than to read it wrongly
 */
export function parseToml(text: string): Toml {
  const root: Toml = {};
  let table = root;
  for (const [index, raw] of text.split('\n').entries()) {
    const line = raw.trim();
    if (line === '' || line.startsWith('#')) continue;
    const head = /^\[([\w.-]+)\]$/.exec(line);
    const pair = /^([\w-]+)\s*=\s*(.+)$/.exec(line);
    if (head) table = tableAt(root, (head[1] ?? '').split('.'));
    else if (pair && !Object.hasOwn(table, pair[1] ?? '')) table[pair[1] ?? ''] = value(pair[2] ?? '', index + 1);
    else throw new Error(`line ${index + 1}: ${line}`);
  }
  return root;
}

function tableAt(root: Toml, path: string[]): Toml {
  let table = root;
  for (const name of path) {
    const inner = table[name] ?? {};
    if (typeof inner !== 'object' || Array.isArray(inner)) throw new Error(`${path.join('.')} is a value and a table`);
    table[name] = inner;
    table = inner;
  }
  return table;
}

function value(text: string, line: number): string | number | boolean | string[] {
  const plain = /^("(?:[^"\\]|\\.)*"|\[.*\]|[^#"]*?)\s*(?:#.*)?$/.exec(text)?.[1];
  if (plain === 'true' || plain === 'false') return plain === 'true';
  if (plain && /^-?\d+(\.\d+)?$/.test(plain)) return Number(plain);
  try {
    const read: unknown = JSON.parse(plain ?? '');
    if (typeof read === 'string' || (Array.isArray(read) && read.every((item) => typeof item === 'string')))
      return read;
  } catch {
    // Said below, with its line.
  }
  throw new Error(`line ${line}: ${text}`);
}

/** What stands at `path`, such as `functions.api.verify_jwt`; undefined where there is nothing. */
export function at(toml: Toml, path: string): Toml[string] | undefined {
  let found: Toml[string] | undefined = toml;
  for (const name of path.split('.')) {
    if (typeof found !== 'object' || Array.isArray(found)) return undefined;
    found = found[name];
  }
  return found;
}
