import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A new folder of this name and six random letters. Who makes it removes it. */
export const temporaryFolder = (name: string): string => mkdtempSync(join(tmpdir(), `parallax-${name}-`));
