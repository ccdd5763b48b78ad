import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { apiTypes } from '../../local/client/api_types.ts';
import { repository } from '../../local/platform/postgres/binaries.ts';

test('the types of the client are those of the API document (npm run client)', async () => {
  const file = join(repository, 'client/src/api_types.ts');
  expect(readFileSync(file, 'utf8') === (await apiTypes()), 'run npm run client').toBe(true);
}, 60_000);
