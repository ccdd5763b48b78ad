// npm run client: writes client/src/api_types.ts from the API document.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { apiTypes } from '../client/api_types.ts';
import { repository } from '../platform/postgres/binaries.ts';

export async function main(): Promise<void> {
  const file = join('client', 'src', 'api_types.ts');
  writeFileSync(join(repository, file), await apiTypes());
  console.log(file);
}
