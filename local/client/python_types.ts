import { type SpawnSyncReturns, spawnSync } from 'node:child_process';
import { UserError } from '../platform/user_error.ts';
import { apiDocument } from './api_types.ts';

const OPTIONS = [
  ...['--input-file-type', 'openapi', '--output-model-type', 'typing.TypedDict', '--target-python-version', '3.11'],
  ...['--use-standard-collections', '--use-union-operator', '--use-schema-description', '--use-field-description'],
  ...['--formatters', 'builtin', '--disable-timestamp'],
];

/**
 * Runs `datamodel-code-generator` 0.89.0 of PyPI. DATAMODEL_PYTHON: a folder of `pip install
 * --target`, where it is not installed for python3 itself.
 */
export function runGenerator(options: readonly string[], input = ''): SpawnSyncReturns<string> {
  const env = { ...process.env, ...(process.env.DATAMODEL_PYTHON && { PYTHONPATH: process.env.DATAMODEL_PYTHON }) };
  const args = ['-m', 'datamodel_code_generator', ...options];
  return spawnSync('python3', args, { input, env, encoding: 'utf8', maxBuffer: 2 ** 24 });
}

/** The types of the Python package. */
export async function pythonTypes(): Promise<string> {
  const run = runGenerator(OPTIONS, JSON.stringify(await apiDocument()));
  if (run.status !== 0) throw new UserError(run.error?.message ?? run.stderr);
  return run.stdout;
}
