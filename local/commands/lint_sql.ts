// npm run lint:sql: the faults that the SQL linter finds in sql/*.sql.
import { lintFindings } from '../sql_style/files.ts';

export async function main(): Promise<void> {
  const findings = lintFindings();
  process.stdout.write(findings.length === 0 ? 'No faults found.\n' : `${findings.join('\n')}\n`);
  if (findings.length > 0) process.exitCode = 1;
}
