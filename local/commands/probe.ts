// npm run probe [-- --live]: reads one page of everything that the adapters use, and compares it
// with their schemas and with docs/venues.md. Needs no database.

import type { Output } from '../command.ts';
import { stackAt } from '../platform/supervisor/find_stack.ts';
import { readOptions } from '../platform/supervisor/operator_cli.ts';
import { parseNumber } from '../platform/supervisor/options.ts';
import { hasFailed, probe } from '../probe/probe.ts';
import { reportOf, tableOf } from '../probe/report.ts';
import type { Row } from '../probe/row.ts';
import { namedTarget, namesAddresses, type ProbeTarget, stackTarget } from '../probe/target.ts';

const usage = `npm run probe -- [options]

Reads one page of each endpoint of both venues, listens to both sockets, and prints what differs from what
the adapters expect. It writes nothing and needs no database.

  --live        the real venues. With VENUE_A_KEY_ID and VENUE_A_PRIVATE_KEY (PEM) also the socket of venue_a
  --port N      the venues of the stack at that port
  --data DIR    the venues of the stack on that data folder (default: the one at --port, else .data)
  --seconds N   how long it listens to the sockets (default 10)

VENUE_A_REST_URL, VENUE_A_WS_URL, VENUE_B_GAMMA_URL, VENUE_B_CLOB_URL, VENUE_B_DATA_URL and VENUE_B_WS_URL
name other addresses. Exit code 1: an endpoint fails, a required field is missing, or a document does not hold.`;

type Values = { live?: boolean | undefined; port?: string | undefined; data?: string | undefined };

function targetOf(values: Values): ProbeTarget {
  const namesStack = values.port !== undefined || values.data !== undefined;
  if (values.live || (!namesStack && namesAddresses(process.env))) return namedTarget(process.env);
  return stackTarget(stackAt(values), process.env);
}

export async function main(args: readonly string[], output: Output): Promise<number> {
  const values = readOptions(args, {
    live: { type: 'boolean', default: false },
    port: { type: 'string' },
    data: { type: 'string' },
    seconds: { type: 'string' },
    help: { type: 'boolean', default: false },
  });
  if (values.help) {
    output.log(usage);
    return 0;
  }
  const seconds = parseNumber('--seconds', values.seconds, 10, { min: 1, max: 600, whole: false });
  const target = targetOf(values);
  output.log(`Probing ${target.name}: venue_a ${target.venueA.rest}, venue_b ${target.venueB.gamma}`);
  const stopping = new AbortController();
  const stop = (): void => {
    if (stopping.signal.aborted) process.exit(130);
    stopping.abort();
  };
  process.on('SIGINT', stop);
  const table: Row[] = [];
  const onRow = (row: Row): void => {
    table.push(row);
    if (process.stderr.isTTY) process.stderr.write(`  ${row.venue} ${row.endpoint}: ${row.status}\n`);
  };
  try {
    const result = await probe({ target, seconds, signal: stopping.signal, onRow });
    if (!stopping.signal.aborted) {
      output.log(`\n${reportOf(result)}`);
      return hasFailed(result) ? 1 : 0;
    }
  } catch (error) {
    if (!stopping.signal.aborted) throw error;
  } finally {
    process.off('SIGINT', stop);
  }
  output.log(`\n${tableOf(table)}\n\nStopped. The probe is not complete.`);
  return 130;
}
