// npm run lint:sql: the faults that the SQL linter finds in sql/*.sql.
import type { Output } from '../command.ts';
import { lintFindings } from '../sql_style/files.ts';

export async function main(_args: readonly string[], output: Output): Promise<number> {
  const findings = lintFindings();
  output.log(findings.length === 0 ? 'No faults found.' : findings.join('\n'));
  return findings.length > 0 ? 1 : 0;
}
