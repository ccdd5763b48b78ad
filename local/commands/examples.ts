// npm run examples -- [--port N] [--data DIR]: writes the examples of the API reference from the
// responses of the running stack.
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import postgres from 'postgres';
import { routes } from '../../functions/api/app.ts';
import type { Route } from '../../functions/api/app_types.ts';
import { validationError } from '../../functions/api/contract/errors.ts';
import type { Example } from '../../functions/api/contract/examples.ts';
import { exampleKey } from '../../functions/api/contract/operation.ts';
import { responseSchemas } from '../../functions/api/contract/schemas.ts';
import type { Output } from '../command.ts';
import { type ExampleRequest, requests, WITHOUT_EXAMPLE } from '../examples/requests.ts';
import { trimmed } from '../examples/trim.ts';
import { repository } from '../platform/postgres/binaries.ts';
import { stackAt } from '../platform/supervisor/find_stack.ts';
import { UserError } from '../platform/user_error.ts';

const file = join(repository, 'functions', 'api', 'contract', 'examples.json');

async function mintKey(sql: postgres.Sql): Promise<string> {
  const [row] = await sql<{ key: string }[]>`select account.mint_key('examples', 'pro') as key`;
  if (!row?.key) throw new Error('account.mint_key returned nothing');
  return row.key;
}

/** Exports the day before market time, of which a new stack has no updates. */
async function exportYesterday(sql: postgres.Sql): Promise<void> {
  await sql`update price.settings set keep_updates = '2 days'`;
  await sql`update export.settings set hour_lag = '0', day_lag = '0'`;
  await sql`select export.plan_day((clock.now() at time zone 'UTC')::date - 1)`;
  for (let second = 0; second < 90; second++) {
    const [published] = await sql`
      select from export.days
      where day = (clock.now() at time zone 'UTC')::date - 1 and published_at is not null`;
    if (published) return;
    await sql`select export.wake_if_due()`;
    await new Promise((resolve) => setTimeout(resolve, 1_000));
  }
  throw new Error('The day before has not been exported within 90 s.');
}

type HttpAnswer = { status: number; body: unknown };

function requester(baseUrl: string, key: string) {
  return async (method: string, path: string, body?: object, accept = '*/*'): Promise<HttpAnswer> => {
    const answer = await fetch(baseUrl + path, {
      method,
      headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json', Accept: accept },
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
    return { status: answer.status, body: answer.status === 204 ? undefined : await answer.json() };
  };
}

/** The example of one route. */
async function exampleOf(route: Route, ask: ReturnType<typeof requester>): Promise<Example | undefined> {
  const [status, name] = Object.entries(route.docs?.responses ?? {})[0] ?? [];
  if (!route.docs || WITHOUT_EXAMPLE.includes(route.docs.id)) return undefined;
  const schema = name ? responseSchemas[name] : undefined;
  const find = requests[route.docs.id];
  if (!find) throw new UserError(`local/examples/requests.ts has no request for ${route.docs.id}.`);
  const get: ExampleRequest = async (path) => (await ask('GET', path)).body;
  const example = await find(get);
  const answer = await ask(route.method, example.path, example.body, route.docs.accept);
  if (answer.status !== Number(status)) {
    throw new UserError(`${example.path} returned ${answer.status}: ${JSON.stringify(answer.body)}`);
  }
  if (answer.body === undefined) return { request: example.path };
  const trimmedBody = trimmed(answer.body);
  for (const [what, given] of [
    ['response', answer.body],
    ['trimmed response', trimmedBody],
  ] as const) {
    const wrong = schema?.safeParse(given).error;
    if (wrong) throw new UserError(`The ${what} of ${example.path} does not match its schema: ${wrong.message}`);
  }
  return { request: example.path, ...(example.body ? { body: example.body } : {}), answer: trimmedBody };
}

export async function main(args: readonly string[], output: Output): Promise<number> {
  const { values } = parseArgs({ args: [...args], options: { port: { type: 'string' }, data: { type: 'string' } } });
  const stack = stackAt(values);
  const sql = postgres(stack.database_url, { max: 1, onnotice: () => {} });
  const key = await exportYesterday(sql)
    .then(() => mintKey(sql))
    .finally(() => sql.end());
  const ask = requester(stack.base_url, key);
  const written: Record<string, Example> = {};
  // The endpoint that a DELETE deletes is used by the others before.
  const deletesLast = [...routes].sort((a, b) => Number(a.method === 'DELETE') - Number(b.method === 'DELETE'));
  for (const route of deletesLast) {
    const example = await exampleOf(route, ask);
    if (!example) continue;
    written[exampleKey(route)] = example;
    if (/"(?:opportunities|spreads|markets|series)":\[\]/.test(JSON.stringify(example.answer))) {
      output.log(`${exampleKey(route)} has no rows at present, so its example is empty. Run this command again later.`);
    }
  }
  const refused = '/v2/markets?limit=0';
  const { body } = await ask('GET', refused);
  validationError.parse(body);
  written['422'] = { request: refused, answer: trimmed(body) };
  writeFileSync(file, `${JSON.stringify(written, null, 2)}\n`);
  spawnSync(join(repository, 'node_modules', '.bin', 'biome'), ['format', '--write', file], { cwd: repository });
  output.log(`${Object.keys(written).length} examples in ${file}`);
  return 0;
}
