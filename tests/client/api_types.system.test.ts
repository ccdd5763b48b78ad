import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { apiTypes } from '../../local/client/api_types.ts';
import { pythonTypes, runGenerator } from '../../local/client/python_types.ts';
import { repository } from '../../local/platform/postgres/binaries.ts';

const read = (file: string) => readFileSync(join(repository, file), 'utf8');

const hasGenerator = runGenerator(['--version']).status === 0;
if (!hasGenerator)
  console.log(
    'tests/client/api_types.system.test.ts is skipped for Python: pip install datamodel-code-generator==0.89.0 is missing.',
  );

test('the types of the client are those of the API document (npm run client)', async () => {
  expect(read('client/src/api_types.ts') === (await apiTypes()), 'run npm run client').toBe(true);
}, 60_000);

test.skipIf(!hasGenerator)(
  'the types of the Python client are those of the API document',
  async () => {
    const isCurrent = read('client/python/parallax_client/types.py') === (await pythonTypes());
    expect(isCurrent, 'run npm run client -- --python').toBe(true);
  },
  60_000,
);
