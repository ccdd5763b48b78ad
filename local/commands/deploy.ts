// npm run deploy -- --check: checks everything of a deployment that can be checked without a hosted
// project. Writes temporary folders only.
import { existsSync, readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import type { Output } from '../command.ts';
import { bootFindings } from '../deploy/boot_findings.ts';
import { configFindings } from '../deploy/config.ts';
import { configPushFindings } from '../deploy/config_push.ts';
import { cpuMeterFinding } from '../deploy/cpu_meter.ts';
import { databaseFindings } from '../deploy/database.ts';
import { envFindings, projectRefOf } from '../deploy/env_file.ts';
import type { Finding } from '../deploy/finding.ts';
import { functionFindings } from '../deploy/functions.ts';
import { hostedRightsFinding } from '../deploy/hosted_rights.ts';
import { writeLocks } from '../deploy/lock.ts';
import { knownSecrets, secretFindings } from '../deploy/secrets.ts';
import { sentFinding } from '../deploy/secrets_set.ts';
import { verify } from '../deploy/verify.ts';
import { repository } from '../platform/postgres/binaries.ts';
import { UserError } from '../platform/user_error.ts';

const commands = `  npx supabase config push
  npx supabase db push
  npx supabase secrets set --env-file deploy.env
  npx supabase functions deploy --use-api`;

const usage = `npm run deploy -- --check [--env FILE]
npm run deploy -- --env FILE
npm run deploy -- --lock
DATABASE_URL=… npm run deploy -- --verify URL [--key sk_live_…] [--webhook ID]

Prints a table and exits 1 if anything is wrong. It deploys nothing, and changes nothing in a project,
except that --webhook sends one test (ping) to an endpoint.
  --check     everything of a deployment that needs no account
  --env FILE  the secrets of the functions, a copy of deploy.env.example
  --verify    asks a running project; URL is the address of its function api
  --lock      writes functions/*/deno.lock, after a change of a function's deno.json

After npx supabase link --project-ref REF, these commands deploy:
${commands}
docs/deploy.md describes the steps before and after.`;

function line({ subject, state, message }: Finding): string {
  const mark = { ok: 'ok     ', wrong: 'WRONG  ', unknown: 'unknown' }[state];
  return `${mark}  ${subject.padEnd(34)}  ${message}`;
}

async function checkRepository(projectRef: string | undefined): Promise<Finding[]> {
  const { findings, uploaded } = await functionFindings(repository);
  return [
    ...configFindings(repository),
    ...(await configPushFindings(repository, projectRef)),
    ...findings,
    ...(await bootFindings(uploaded)),
    cpuMeterFinding(uploaded),
    ...secretFindings(repository, uploaded),
    hostedRightsFinding(repository),
    ...(await databaseFindings(repository)),
  ];
}

function readEnv(file: string): string {
  if (!existsSync(file)) throw new UserError(`${file} does not exist: copy deploy.env.example to it.`);
  return readFileSync(file, 'utf8');
}

/** Prints the findings as one table, the wrong ones last. Returns whether there are none. */
function report(findings: readonly Finding[], output: Output): boolean {
  const order: Finding['state'][] = ['ok', 'unknown', 'wrong'];
  for (const state of order) for (const finding of findings) if (finding.state === state) output.log(line(finding));
  const count = (state: Finding['state']) => findings.filter((finding) => finding.state === state).length;
  output.log(`\n${count('ok')} ok, ${count('wrong')} wrong, ${count('unknown')} unknown.`);
  return count('wrong') === 0;
}

export async function main(args: readonly string[], output: Output): Promise<number> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      check: { type: 'boolean' },
      env: { type: 'string' },
      lock: { type: 'boolean' },
      verify: { type: 'string' },
      key: { type: 'string' },
      webhook: { type: 'string' },
      help: { type: 'boolean' },
    },
  });
  if (values.lock) {
    for (const path of await writeLocks()) output.log(path);
    return 0;
  }
  if (values.verify !== undefined) {
    const { verify: url, key, webhook } = values;
    const databaseUrl = process.env.DATABASE_URL;
    const findings = await verify({ baseUrl: url.replace(/\/$/, ''), key, webhook, databaseUrl });
    return report(findings, output) ? 0 : 1;
  }
  if (values.help || !(values.check || values.env)) {
    output.log(usage);
    return values.help ? 0 : 1;
  }
  const env = values.env === undefined ? undefined : readEnv(values.env);
  const findings = [
    ...(values.check ? await checkRepository(env && projectRefOf(env)) : []),
    ...(env === undefined ? [] : [...envFindings(env, knownSecrets(repository)), await sentFinding(env)]),
  ];
  const isRight = report(findings, output);
  if (isRight) output.log(`To deploy, after npx supabase link --project-ref REF:\n${commands}`);
  return isRight ? 0 : 1;
}
