// npm run deploy -- --check: checks everything of a deployment that can be checked without a hosted
// project. Writes temporary folders only.
import { parseArgs } from 'node:util';
import { configFindings } from '../deploy/config.ts';
import { databaseFindings } from '../deploy/database.ts';
import type { Finding } from '../deploy/finding.ts';
import { functionFindings } from '../deploy/functions.ts';
import { secretFindings } from '../deploy/secrets.ts';
import { repository } from '../platform/postgres/binaries.ts';

const commands = `  npx supabase db push
  npx supabase functions deploy --use-api`;

const usage = `npm run deploy -- --check

Checks everything of a deployment that needs no account, prints a table, and exits 1 if anything is wrong.
It deploys nothing. After npx supabase link --project-ref REF, these two commands deploy:
${commands}
docs/deploy.md describes the steps before and after.`;

function printFindings({ subject, state, message }: Finding): string {
  const mark = { ok: 'ok     ', wrong: 'WRONG  ', unknown: 'unknown' }[state];
  return `${mark}  ${subject.padEnd(34)}  ${message}`;
}

async function check(): Promise<Finding[]> {
  const { findings, uploaded } = await functionFindings(repository);
  return [
    ...configFindings(repository),
    ...findings,
    ...secretFindings(repository, uploaded),
    ...(await databaseFindings(repository)),
  ];
}

export async function main(): Promise<void> {
  const { values } = parseArgs({ options: { check: { type: 'boolean' }, help: { type: 'boolean' } } });
  if (values.check) {
    const findings = await check();
    for (const finding of findings) console.log(printFindings(finding));
    const count = (state: Finding['state']) => findings.filter((finding) => finding.state === state).length;
    console.log(
      `\n${count('ok')} ok, ${count('wrong')} wrong, ${count('unknown')} can only be checked in the hosted project.`,
    );
    if (count('wrong') === 0) console.log(`To deploy, after npx supabase link --project-ref REF:\n${commands}`);
    process.exitCode = count('wrong') > 0 ? 1 : 0;
  } else {
    console.log(usage);
    process.exitCode = values.help ? 0 : 1;
  }
}
