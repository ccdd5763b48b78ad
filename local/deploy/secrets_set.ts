import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { checkResult, type Finding } from './finding.ts';
import { ANY_PROJECT_REF, runSupabase } from './management_api.ts';
import { RESERVED_NAMES } from './secrets.ts';

/** Compares the values that `supabase secrets set --env-file` sends with those checked here. */
export async function sentFinding(text: string): Promise<Finding> {
  let sent: { name: string; value: string }[] = [];
  const { status } = await runSupabase({
    args: ['secrets', 'set', '--env-file', 'deploy.env'],
    projectRef: ANY_PROJECT_REF,
    prepare: (project) => writeFileSync(join(project, 'deploy.env'), text, { mode: 0o600 }),
    answer: ({ method, body }) => {
      if (method === 'POST') sent = JSON.parse(body.toString());
      return {};
    },
  });
  const read = Object.entries(parseEnv(text)).filter(([name]) => !RESERVED_NAMES.test(name));
  const other = read.filter(([name, value]) => sent.find((secret) => secret.name === name)?.value !== value);
  return checkResult(
    'supabase secrets set',
    [
      ...(status === 0 ? [] : ['the CLI refuses the file']),
      ...other.map(([name]) => `the CLI reads ${name} differently: put its value between single quotes`),
    ],
    `the CLI sends these ${read.length} values`,
  );
}
