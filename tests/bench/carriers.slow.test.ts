import { afterAll, beforeAll, expect, test } from 'vitest';
import { findRedis } from '../../local/platform/carrier/redis.ts';
import type { TemporaryPostgres } from '../../local/platform/postgres/temporary_postgres.ts';
import { centrifugoOrSkip } from '../support/centrifugo.ts';
import { type CarrierSizes, measureCarriers } from './carriers.ts';
import type { ResultRow } from './result_row.ts';
import { inputsOf } from './scale/inputs.ts';
import { scratchOfTests } from './scratch_database.ts';

// Runs the measurement of the carriers at a small size. `npm run bench -- --only carriers` gives
// the figures.

const binary = centrifugoOrSkip('tests/bench/carriers.slow.test.ts');
let scratch: TemporaryPostgres;
beforeAll(() => {
  scratch = scratchOfTests('carriers');
});
afterAll(() => scratch.stop());

test.skipIf(!binary)(
  'the carriers measurement has the figures that scale_table.ts computes with',
  async () => {
    const rows: ResultRow[] = [];
    const sizes: CarrierSizes = {
      fanout: { clients: 20, frames: 100, rounds: 1 },
      latency: { clients: 5, rates: [20], seconds: 1, rounds: 1 },
      broker: { frames: 200, rounds: 1 },
      storms: [
        { clients: 20, tier: 'basic' },
        { clients: 20, tier: 'pro' },
      ],
    };
    await measureCarriers(scratch, 'template_db', sizes, (more) => void rows.push(...more));
    const names = rows.map(({ name }) => name.replace(/^carriers, /, ''));
    expect(names).toContain('fan-out to 20 clients: two nodes, wall time');
    expect(names).toContain('commit to client at 20/s: two nodes, p99 of 250 ms');
    expect(names.filter((name) => name.includes('20 clients recovered'))).toHaveLength(
      'missing' in findRedis() ? 2 : 4,
    );
    const recovered = rows.filter(({ name }) => name.endsWith('clients recovered'));
    expect(recovered.map(({ ratio }) => ratio)).toEqual(recovered.map(() => 1));
    const figures: Record<string, number> = Object.assign({}, ...rows.map((row) => row.figures ?? {}));
    expect(inputsOf(figures).nodeUs.value).not.toBeNaN();
  },
  600_000,
);
