import { resolve } from 'node:path';
import { UserError } from '../user_error.ts';
import { runningStack, type StackFacts } from './data_folder.ts';
import { parseNumber } from './options.ts';
import { folderAt } from './registry.ts';

/**
 * The stack at a port, on a data folder, or on the default one. Throws UserError when none runs.
 */
export function stackAt(values: { port?: string | undefined; data?: string | undefined }): StackFacts {
  const port =
    values.port === undefined ? undefined : parseNumber('--port', values.port, 0, { min: 1, max: 65_535, whole: true });
  const folder = resolve(values.data ?? (port === undefined ? undefined : folderAt(port)) ?? '.data');
  const stack = runningStack(folder);
  if (!stack || (port !== undefined && port !== stack.port)) {
    const where = port === undefined ? `on ${folder}` : `at port ${port}`;
    throw new UserError(
      `No stack runs ${where}. Start it with "npm start" and wait for "ready", or name its folder with --data.`,
    );
  }
  return stack;
}
