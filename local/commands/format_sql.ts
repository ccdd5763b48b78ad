// npm run format:sql [-- folder]: formats sql/*.sql, or the SQL files of another folder.
import type { Output } from '../command.ts';
import { formatFolder } from '../sql_style/files.ts';

export async function main(args: readonly string[], output: Output): Promise<number> {
  const [folder] = args;
  const written = formatFolder(folder, { write: true });
  output.log(written.length === 0 ? 'All SQL files were formatted already.' : `Formatted ${written.join(', ')}.`);
  return 0;
}
