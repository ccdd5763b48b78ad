// npm run review [-- SUBJECT [confirm|refuse|postpone|withdraw]]: the review queue of the catalog.
import { parseArgs } from 'node:util';
import type { Output } from '../command.ts';
import { stackAt } from '../platform/supervisor/find_stack.ts';
import { withDatabase } from '../platform/supervisor/operator_cli.ts';
import { UserError } from '../platform/user_error.ts';
import { describeEntry, describeQueue, type Entry, type Queue } from '../review/describe.ts';

const usage = `npm run review [-- SUBJECT [DECISION]] [options]

Without SUBJECT: the leagues, lists of runners and names that no registry holds and that a person may confirm.
  SUBJECT       an entry of the queue, such as league:KXBESTADEILDGAME:bdk; printed with its evidence
  DECISION      confirm, refuse, postpone (for a week) or withdraw (takes a confirmation back)
  --state S     open, postponed, confirmed, refused, withdrawn or all (default: open)
  --name NAME   confirm: the name of the league (default: from its series)
  --sport S     confirm: its sport (default: from the tags of venue_b)
  --note TEXT   kept with the decision
  --by NAME     who decides (default: operator)
  --operators ORG on|off   whether the members of this organization review in the dashboard
  --json        the queue or the entry as JSON
  --port N      the stack at that port
  --data DIR    the stack on that data folder (default: the one at --port, else .data)`;

const options = {
  state: { type: 'string', default: 'open' },
  name: { type: 'string' },
  sport: { type: 'string' },
  note: { type: 'string' },
  by: { type: 'string', default: 'operator' },
  operators: { type: 'string' },
  json: { type: 'boolean', default: false },
  port: { type: 'string' },
  data: { type: 'string' },
  help: { type: 'boolean', default: false },
} as const;

type Values = { [K in 'state' | 'by']: string } & { [K in 'name' | 'sport' | 'note']?: string };

async function readEntry(url: string, subject: string): Promise<Entry> {
  const [row] = await withDatabase(
    url,
    (sql) => sql<{ entry: Entry | null }[]>`
      select catalog.review_entry(${subject}) || jsonb_build_object('decisions', catalog.review_history(${subject}))
             as entry`,
  );
  if (!row?.entry) throw new UserError(`${subject} is not in the queue (review.not_found).`);
  return row.entry;
}

async function readQueue(url: string, state: string): Promise<Queue> {
  const wanted = state === 'all' ? null : state;
  const [row] = await withDatabase(
    url,
    (sql) => sql<{ queue: Queue }[]>`select catalog.review_queue(${wanted}) as queue`,
  );
  if (!row) throw new Error('catalog.review_queue returned nothing');
  return row.queue;
}

async function decide(url: string, entry: Entry, decision: string, values: Values): Promise<string> {
  const { name, sport, note = null, by } = values;
  const changes = { ...(name === undefined ? {} : { name }), ...(sport === undefined ? {} : { sport }) };
  type Answer = { code: string | null; because: string; state: string; candidates_again: number };
  const [answer] = await withDatabase(
    url,
    (sql) => sql<Answer[]>`
      select d.answer ->> 'code' as code, catalog.describe_review_code(d.answer ->> 'code') as because,
             d.answer ->> 'state' as state, (d.answer ->> 'candidates_again')::integer as candidates_again
      from pipeline.decide_review(${entry.subject}, ${decision}, ${entry.digest}, ${by}, ${sql.json(changes)}, ${note})
             as d (answer)`,
  );
  if (!answer) throw new Error('pipeline.decide_review returned nothing');
  if (answer.code !== null) throw new UserError(`Refused: ${answer.code} (${answer.because})`);
  const again = decision === 'withdraw' ? `; ${answer.candidates_again} pairs are candidates again` : '';
  const next = decision === 'confirm' ? '; the next pass publishes what its texts allow' : '';
  return `${entry.subject} is ${answer.state}${again}${next}`;
}

async function setOperators(url: string, org: string, wanted: string | undefined): Promise<string> {
  if (wanted !== 'on' && wanted !== 'off') throw new UserError('Write --operators ORG on, or --operators ORG off.');
  await withDatabase(
    url,
    (sql) => sql`select account.set_operator(account.find_organization(${org}), ${wanted === 'on'})`,
  );
  return wanted === 'on'
    ? `The members of "${org}" review the catalog in the dashboard.`
    : `The members of "${org}" no longer review the catalog.`;
}

export async function main(args: readonly string[], output: Output): Promise<number> {
  output.log(await answer(args));
  return 0;
}

async function answer(args: readonly string[]): Promise<string> {
  const { values, positionals } = parseArgs({ args: [...args], allowPositionals: true, options });
  if (values.help) return usage;
  const { database_url: url } = stackAt(values);
  if (values.operators !== undefined) return await setOperators(url, values.operators, positionals[0]);
  const [subject, decision] = positionals;
  if (subject === undefined) {
    const queue = await readQueue(url, values.state);
    return values.json ? JSON.stringify(queue, null, 1) : describeQueue(queue, values.state);
  }
  const entry = await readEntry(url, subject);
  if (decision !== undefined) return await decide(url, entry, decision, values);
  return values.json ? JSON.stringify(entry, null, 1) : describeEntry(entry);
}
