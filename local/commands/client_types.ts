// npm run client [-- --python]: writes the types of the client packages from the API document.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { apiTypes } from '../client/api_types.ts';
import { pythonTypes } from '../client/python_types.ts';
import type { Output } from '../command.ts';
import { repository } from '../platform/postgres/binaries.ts';

export async function main(args: readonly string[], output: Output): Promise<number> {
  const { values } = parseArgs({ args: [...args], options: { python: { type: 'boolean', default: false } } });
  write('client/src/api_types.ts', await apiTypes(), output);
  if (values.python) write('client/python/parallax_client/types.py', await pythonTypes(), output);
  return 0;
}

function write(file: string, text: string, output: Output): void {
  writeFileSync(join(repository, file), text);
  output.log(file);
}
