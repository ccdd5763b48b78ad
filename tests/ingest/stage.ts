import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { budgetOf } from '../../functions/ingest/budget.ts';
import { connect, Doors } from '../../functions/ingest/database.ts';
import { parsers } from '../../functions/ingest/parsers.ts';
import type { Settings } from '../../functions/ingest/settings.ts';
import { Shift } from '../../functions/ingest/shift.ts';
import type { TestDatabase } from '../support/database.ts';
import type { Running, Truth, TruthPair } from '../venues/running.ts';
import { around, nodeSocket } from './around.ts';

/** Settings that read the simulator into this database. */
export function settingsFor(venues: Running, database: TestDatabase): Settings {
  const { venue_a, venue_b } = venues.listening;
  return {
    databaseUrl: database.url('parallax_ingest'),
    source: 'simulated',
    venueA: {
      rest: venue_a.rest,
      socket: venue_a.ws,
      keyId: venue_a.key_id,
      privateKey: readFileSync(venue_a.private_key_file, 'utf8'),
    },
    venueB: { gamma: venue_b.gamma, clob: venue_b.clob, socket: venue_b.ws },
    wallClockSeconds: 400,
    cpuSeconds: null,
    listingsSeconds: 60,
    cronKey: null,
  };
}

export type RunningShift = { shift: Shift; lines: string[]; end(): Promise<void> };

/** A whole shift in this process, over real sockets, HTTP and Postgres. */
export function startShift(
  settings: Settings,
  options: { endsAt?: number | null; bookSlices?: number; pages?: number } = {},
): RunningShift {
  const lines: string[] = [];
  const doors = new Doors(connect(settings.databaseUrl));
  const budget = budgetOf(null, 400);
  const shift = new Shift({
    settings,
    budget: {
      ...budget,
      ...(options.bookSlices === undefined ? {} : { bookSlices: options.bookSlices }),
      ...(options.pages === undefined ? {} : { pages: options.pages }),
      watchMs: 500,
    },
    doors,
    around,
    make: nodeSocket,
    parsers,
    log: (line) => lines.push(line),
    endsAt: options.endsAt ?? null,
  });
  const running = shift.run();
  return {
    shift,
    lines,
    async end() {
      shift.stop();
      await running;
      await doors.end();
    },
  };
}

export async function truthOf(venues: Running): Promise<Truth> {
  return (await (await fetch(`${venues.sim}/truth`)).json()) as Truth;
}

/** The two-venue pairs that the simulator knows, put into the catalog as the match pass would: these tests are about books. */
export async function putPairs(database: TestDatabase, pairs: readonly TruthPair[]): Promise<string[]> {
  const ids: string[] = [];
  for (const [place, pair] of pairs.entries()) {
    const id = randomUUID();
    ids.push(id);
    await database.sql`
      insert into catalog.pairs (
        pair_id, question_a, question_b, key, market_type, stage, band, entity_confidence, resolution_confidence, signals,
        category, title, start_time, scheduled, event_a, event_b, slot, created_at, updated_at
      )
      values (
        ${id}, ${`a:${pair.venue_a.event_ticker}`}, ${`b:${pair.venue_b.event_slug}`}, ${id}, ${pair.family}, 'catalog', 'HIGH', 1, 1, '{}',
        'sports', ${pair.venue_a.event_ticker}, now() + interval '1 day', true, ${pair.venue_a.event_ticker},
        ${pair.venue_b.event_slug}, ${place % 64}, now(), now()
      )`;
    for (const [ordinal, leg] of pair.outcomes.entries()) {
      await database.sql`
        insert into catalog.outcomes (pair_id, ordinal, key, name, contract_a, side_a, contract_b)
        values (${id}, ${ordinal}, ${`o${ordinal}`}, ${leg.name}, ${leg.ticker}, ${leg.side}, ${leg.token_id})`;
    }
  }
  return ids;
}
