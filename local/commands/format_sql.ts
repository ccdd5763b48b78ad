// npm run format:sql [-- folder]: formats sql/*.sql, or the SQL files of another folder.
import { formatFolder } from '../sql_style/files.ts';

export async function main(): Promise<void> {
  const [folder] = process.argv.slice(2);
  const written = formatFolder(folder, { write: true });
  process.stdout.write(
    written.length === 0 ? 'All SQL files were formatted already.\n' : `Formatted ${written.join(', ')}.\n`,
  );
}
