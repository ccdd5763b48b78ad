import { describe, expect, it } from 'vitest';
import { HOSTED_DENO_VERSION } from '../../local/platform/functions/hosted_deno.ts';
import { MOST_STARTS, runtimes, type Started, startsOf } from './startup.ts';

/**
 * Guarantee: a function starts with little CPU, of which the platform gives a worker two seconds in
 * all. The baseline is an empty function in the same run, so the limit holds on a slow machine too.
 */
const names = Object.keys(MOST_STARTS) as Started[];
const [runtime = '', deno = ''] = Object.entries(runtimes())[0] ?? [];
if (!runtime.includes(HOSTED_DENO_VERSION))
  console.log(`The starts are measured with the installed Deno: npm has no ${HOSTED_DENO_VERSION} for this machine.`);

describe.skipIf(process.platform !== 'linux')('the start of a function', () => {
  it('takes little more CPU than the start of an empty function', { timeout: 120_000 }, async () => {
    const usage = await startsOf(deno, ['empty', ...names], 5);
    const starts = names.map((name) => [name, usage[name].cpuMs / usage.empty.cpuMs] as const);
    const report = starts.map(([name, ratio]) => `${name}: ${ratio.toFixed(1)}`).join(', ');
    expect(
      starts.filter(([name, ratio]) => !(ratio <= MOST_STARTS[name])),
      report,
    ).toEqual([]);
  });
});
