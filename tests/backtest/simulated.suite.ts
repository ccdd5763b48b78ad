import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readProgress } from '../../local/backtest/progress.ts';
import { tsxArguments } from '../../local/platform/supervisor/venues.ts';
import { createDatabase, type TestDatabase } from '../support/database.ts';
import { waitUntil } from '../support/wait_until.ts';
import { getJson } from '../venue_simulator/clients.ts';
import { type RunningVenues, startVenues } from '../venue_simulator/fixture.ts';
import { type Backtester, completed, keepCompetitions, openBacktester } from './fixture.ts';

/**
 * Guarantee: parity comes from the settled history of both venues, read over their own interfaces.
 * A cut wire confirms nothing, a killed backtest continues where it stopped, a second one changes
 * nothing, and every divergence withdraws its rule with both texts and both results as evidence.
 *
 * The world: 2 games of the NBA settle apart by request, and the EPL had another text more than 60
 * days ago. The NHL has neither. Each league has 400 to 600 games in 120 days.
 */

type PastRow = {
  family: string;
  alike: number;
  apart: number;
  edge_cases: number;
  planted: number;
  earlier_texts: number;
};
type Rule = { rule_id: string; family: string; state: string; agreeing: number; diverging: number };

const SERIES = { nba: 'KXNBAGAME', epl: 'KXEPLGAME', nhl: 'KXNHLGAME' };

/** `full`: also with the EPL, whose text has changed, and with a second backtest. */
export const simulatedSuite = ({ full }: { full: boolean }) =>
  describe('the backtest of a simulated world', () => {
    let venues: RunningVenues;
    let database: TestDatabase;
    let tester: Backtester;

    beforeAll(async () => {
      [venues, database] = await Promise.all([
        startVenues(
          '--seed',
          '1',
          '--tokens',
          '100000',
          '--plant-divergence',
          `${SERIES.nba}:2`,
          '--changed-text',
          `${SERIES.epl}:60`,
        ),
        createDatabase(),
      ]);
      tester = await openBacktester(venues, database);
      await tester.sweep();
      await keepCompetitions(database, full ? Object.keys(SERIES) : ['nba', 'nhl']);
    });
    afterAll(async () => {
      await tester?.close();
      venues?.end();
      await database?.close();
    });

    const inject = (fault: string, for_ms: number) =>
      fetch(`${venues.sim}/fault`, { method: 'POST', body: JSON.stringify({ fault, for_ms }) });
    const rulesOf = (competition: string) => database.sql<Rule[]>`
    select r.rule_id, r.family, r.state, r.agreeing, r.diverging
    from catalog.rules r
    where lower(r.competition) = ${competition} and r.agreeing + r.diverging > 0
    order by r.family, r.agreeing desc`;
    const pastOf = async (series: string): Promise<PastRow> => {
      const { rows } = await getJson<{ rows: PastRow[] }>(`${venues.sim}/past?series=${series}&days=120`);
      const row = rows.find((one) => one.family === 'moneyline');
      if (!row) throw new Error(`The past of ${series} has no games.`);
      return row;
    };

    it('leaves every rule unconfirmed while the wire to the settled history is cut', async () => {
      await inject('past_cut', 0);
      const { kill } = await tester.start();
      const progress = await waitUntil(
        async () => {
          const one = await readProgress(database.sql);
          return one.lastError !== null && one;
        },
        { what: 'the cut is recorded' },
      );
      await kill();
      expect(progress).toMatchObject({ done: 0, occasions: 0 });
      const [row] = await database.sql<{ confirmed: number; rules: number }[]>`
      select count(*) filter (where r.confirmed_at is not null)::integer as confirmed, count(*)::integer as rules
      from catalog.rules r`;
      expect(row?.confirmed).toBe(0);
      expect(row?.rules).toBeGreaterThan(10);
      const gates = await database.sql`
      select distinct g.parity_reason
      from catalog.match_gates g
      join catalog.pairs p on p.pair_id = g.pair_id and p.withdrawn_at is null`;
      expect(gates.map((gate) => gate.parity_reason)).toEqual(['parity.unconfirmed']);
      await inject('past_cut', 1);
    });

    it('continues after kill -9 where the killed worker stopped', async () => {
      const worker = spawn(
        process.execPath,
        [
          ...tsxArguments,
          join(import.meta.dirname, 'worker_process.ts'),
          database.url('parallax_ingest'),
          JSON.stringify(venues.listening),
        ],
        { stdio: ['ignore', 'pipe', 'inherit'] },
      );
      await database.sql`update venue.leases set holder = null where name = 'backtest'`;
      const pages = await new Promise<number>((resolve) => {
        worker.stdout.on('data', (chunk) => {
          const read = Number(String(chunk).trim().split('\n').at(-1));
          if (read >= 8) resolve(read);
        });
      });
      worker.kill('SIGKILL');
      await new Promise((resolve) => worker.once('exit', resolve));
      const stored = () => database.sql<
        { scope: string; filter: string; kind: string; pages: number; cursor: string | null }[]
      >`
      select o.scope, o.filter, o.kind, o.pages, o.cursor from catalog.backtest_sources o where o.pages > 0 order by 1, 2, 3`;
      const before = await stored();
      const read = before.reduce((sum, one) => sum + one.pages, 0);
      // Of each venue, two pages may be lost: the one that was parsed and the one that was stored.
      expect(read).toBeGreaterThanOrEqual(pages - 4);
      // The lease of the killed worker expires after ten seconds.
      await database.sql`update venue.leases set expires_at = clock_timestamp() where name = 'backtest'`;
      const { kill, role } = await tester.start();
      await completed(database);
      await kill();
      const all = (await stored()).reduce((sum, one) => sum + one.pages, 0);
      // The database may have stored the last page of each venue after this test counted.
      expect(all - read - role.pages).toBeGreaterThanOrEqual(0);
      expect(all - read - role.pages).toBeLessThanOrEqual(2);
      expect(role.pages).toBeGreaterThan(20);
    });

    it('publishes each pair whose rule gained parity in the transaction that confirms the rule', async () => {
      const [row] = await database.sql<{ moved: number; stale: number; unpublished: number }[]>`
      select count(*)::integer as moved,
             (count(*) filter (where p.change_no < r.parity_change_no))::integer as stale,
             cardinality(stream.unpublished_pairs())::integer as unpublished
      from catalog.pairs p
      join catalog.rules r on r.rule_id = p.rule_id and r.parity_change_no is not null
      where p.withdrawn_at is null and p.status in ('open', 'live', 'resolving')`;
      expect(row?.moved).toBeGreaterThan(5);
      expect(row).toMatchObject({ stale: 0, unpublished: 0 });
    });

    it('counts what the draws of the simulator paid, and one game once', async () => {
      const nba = await pastOf(SERIES.nba);
      const [rule] = await rulesOf('nba').then((rules) => rules.filter((one) => one.family === 'moneyline'));
      expect(nba.planted).toBe(2);
      expect(rule?.diverging).toBe(nba.apart);
      const games = nba.alike + nba.edge_cases;
      expect(rule?.agreeing).toBeLessThanOrEqual(games);
      // The match pass leaves a few games out, in the past as in the present.
      expect(rule?.agreeing).toBeGreaterThan(0.97 * games);
    });

    it('withdraws the rule of the planted divergences and keeps both listings, texts and results', async () => {
      const [rule] = await rulesOf('nba').then((rules) => rules.filter((one) => one.family === 'moneyline'));
      expect(rule?.state).toBe('withdrawn');
      const found = await database.sql<
        {
          occasion: string;
          source: string;
          event_a: string;
          event_b: string;
          text_a: string;
          text_b: string;
          paid: { venue_a: string; venue_b: string }[];
        }[]
      >`select * from catalog.divergences d where d.rule_id = ${rule?.rule_id ?? ''}`;
      expect(found.length).toBe(rule?.diverging);
      for (const one of found) {
        expect(one.source).toBe('backtest');
        expect(one.event_a).toMatch(/^KXNBAGAME-/);
        expect(one.event_b).toMatch(/^nba-/);
        expect(one.text_a).toContain('then the market resolves to Yes');
        expect(one.text_b).toContain('this market will');
        expect(one.paid).toHaveLength(2);
        expect(one.paid.some(({ venue_a, venue_b }) => venue_a !== venue_b)).toBe(true);
      }
      const gates = await database.sql`
      select distinct g.parity_reason
      from catalog.match_gates g
      join catalog.pairs p on p.pair_id = g.pair_id and p.withdrawn_at is null
      where p.rule_id = ${rule?.rule_id ?? ''}`;
      expect(gates.map((gate) => gate.parity_reason)).toEqual(['parity.withdrawn']);
      const listings = await database.sql<
        { listing_a: { markets: { payout: string }[] }; listing_b: { markets: unknown[] } }[]
      >`
      select listing_a, listing_b from catalog.backtest_divergences where rule_id = ${rule?.rule_id ?? ''}`;
      for (const { listing_a, listing_b } of listings) {
        expect(listing_a.markets.map((market) => market.payout).sort()).toEqual(['0', '1']);
        expect(listing_b.markets).toHaveLength(1);
      }
    });

    it.runIf(full)('takes the games before a text changed for another rule', async () => {
      const epl = await pastOf(SERIES.epl);
      const rules = await rulesOf('epl').then((all) => all.filter((one) => one.family === 'moneyline'));
      expect(rules).toHaveLength(2);
      const earlier = rules.find((one) => one.rule_id.includes('venue_a: 24 h'));
      const now = rules.find((one) => one.rule_id.includes('venue_a: 48 h'));
      expect(epl.earlier_texts).toBeGreaterThan(100);
      expect(earlier?.agreeing).toBeGreaterThan(0.95 * epl.earlier_texts - epl.apart - 20);
      expect(earlier?.agreeing).toBeLessThanOrEqual(epl.earlier_texts);
      expect((earlier?.agreeing ?? 0) + (now?.agreeing ?? 0)).toBeGreaterThan(0.97 * (epl.alike + epl.edge_cases));
    });

    it.runIf(full)('changes nothing when it runs again', async () => {
      const state = () => database.sql`
      select (select jsonb_agg(to_jsonb(r) order by r.rule_id) from catalog.rules r) as rules,
             (select jsonb_agg(to_jsonb(o) order by o.rule_id, o.occasion) from catalog.backtest_occasions o) as occasions,
             (select jsonb_agg(to_jsonb(d) order by d.rule_id, d.pair_id) from catalog.backtest_divergences d) as divergences,
             (select jsonb_agg(to_jsonb(t) order by t.rule_id, t.text_form) from catalog.rule_texts t) as texts,
             (select sum(p.change_no) from catalog.pairs p) as changes`;
      const before = await state();
      await database.sql`select catalog.request_backtest()`;
      await database.sql`update venue.leases set holder = null where name = 'backtest'`;
      const { kill } = await tester.start();
      await completed(database);
      await kill();
      expect(await state()).toEqual(before);
      const [left] = await database.sql`select count(*)::integer as listings from venue.settled_events`;
      expect(left).toEqual({ listings: 0 });
    });

    it('finds the same pairs with the results withheld', async () => {
      await database.sql`select catalog.request_backtest(40)`;
      await database.sql`update venue.leases set holder = null where name = 'backtest'`;
      const { kill } = await tester.start();
      await waitUntil(
        async () => {
          const [row] = await database.sql<{ venues: number }[]>`
          select count(distinct e.venue)::integer as venues from venue.settled_events e`;
          return row?.venues === 2;
        },
        { what: 'settled events of both venues are stored' },
      );
      await kill();
      const paired = () => database.sql`
      select c.pair_id, c.question_a, c.question_b, c.text_a
      from catalog.settled_changed_choices(
        array(
          select d
          from catalog.settled_choose_pairs(array(select e from catalog.settled_evaluate_candidates() e)) d
        )
      ) c
      order by 1`;
      const [row] =
        await database.sql`select count(*)::integer as paid from venue.settled_markets where payout is not null`;
      expect(row?.paid).toBeGreaterThan(50);
      const before = await paired();
      expect(before.length).toBeGreaterThan(20);
      await database.sql`update venue.settled_markets set payout = null, settled_at = null, state = 'trading'`;
      expect(await paired()).toEqual(before);
      const [withheld] = await database.sql<{ pairs: number; unsettled: number }[]>`
      select cardinality(r.pairs) as pairs, r.unsettled from catalog.pair_settled_listings() r`;
      expect(withheld?.pairs).toBe(0);
      expect(withheld?.unsettled).toBeGreaterThan(20);
    });
  });
