// npm start: the whole platform on this machine. Options: npm start -- --help
import { ignoreKnownDriverCrash } from '../platform/driver_crash.ts';
import { readOptions, usage } from '../platform/supervisor/options.ts';
import { Stack } from '../platform/supervisor/stack.ts';

export async function main(): Promise<void> {
  const options = readOptions(process.argv.slice(2));
  if (options === 'help') {
    console.log(usage);
    return;
  }
  // The supervisor restarts a Postgres that died; the driver's crash must not end the supervisor.
  ignoreKnownDriverCrash();
  const stack = new Stack(options);
  let asked = 0;
  const leave = () => {
    asked++;
    // Whoever asks three times wants out now; the reaper ends what is left.
    if (asked >= 3) process.exit(1);
    if (asked > 1) return;
    process.stdout.write('stopping …\n');
    void stack.stop().then(() => process.exit(0));
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, leave);
  // The terminal or pipe that we print to may go away; that is no reason to die half way.
  process.stdout.on('error', () => {});

  try {
    await stack.start();
  } catch (error) {
    if (asked > 0) return;
    await stack.stop();
    throw error;
  }
}
