import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Creates a folder with this name and six random letters. The caller removes it. */
export const temporaryFolder = (name: string): string => mkdtempSync(join(tmpdir(), `parallax-${name}-`));
