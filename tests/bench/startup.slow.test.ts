import { describe, expect, it } from 'vitest';
import { hostedDeno } from '../../local/platform/functions/hosted_deno.ts';
import { runtimes, STARTED, startsOf } from './startup.ts';

/**
 * Guarantee: a function starts with little CPU, of which the platform gives a worker two seconds in
 * all. The baseline is an empty function in the same run, so the limit holds on a slow machine too.
 */
if (hostedDeno() === null)
  console.log("The starts are measured with the installed Deno: npm has the platform's version for Linux on x64 only.");

describe.skipIf(process.platform !== 'linux')('the start of a function', () => {
  it('takes little more CPU than the start of an empty function', async () => {
    const [runtime] = runtimes();
    if (runtime === undefined) throw new Error('There is no Deno.');
    const usage = await startsOf(runtime.deno, ['empty', ...STARTED], 5);
    const starts = STARTED.map((name) => ({ name, ratio: usage[name].cpuMs / usage.empty.cpuMs }));
    const report = starts.map(({ name, ratio }) => `${name}: ${ratio.toFixed(1)}`).join(', ');
    expect(
      starts.filter(({ name, ratio }) => !(ratio <= runtime.mostStarts(name))),
      report,
    ).toEqual([]);
  });
});
