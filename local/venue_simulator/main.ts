import { createInterface } from 'node:readline';
import { parseOptions, parseSegments } from './args.ts';
import { systemRuntime } from './core/runtime.ts';
import { serve } from './serve.ts';

const { log } = systemRuntime;

/**
 * Runs both venues on loopback, simulated or replayed:
 *
 * - tsx local/venue_simulator/main.ts --seed N --clock JSON --port-a P --port-b P --data DIR
 *   [--games N] [--traps none|mild|all|LIST] [--tokens N] [--replay DIR]
 *
 * Prints one JSON line with the addresses when it listens; port 0 means any free port. Each line of
 * its input is a new clock, as JSON like --clock: the starter releases market time when the product
 * is ready.
 */
try {
  const served = await serve(parseOptions(process.argv.slice(2)));
  process.stdout.write(`${JSON.stringify(served.listening)}\n`);
  createInterface({ input: process.stdin }).on('line', (line) => {
    try {
      served.setClock(parseSegments(line));
    } catch (error) {
      log(`invalid clock: ${error instanceof Error ? error.message : String(error)}`);
    }
  });
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => {
      served.stop();
      process.exit(0);
    });
  }
} catch (error) {
  log(error instanceof Error ? error.message : String(error));
  process.exitCode = 1;
}
