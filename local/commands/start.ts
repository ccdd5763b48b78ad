// npm start: the whole platform on this machine. Options: npm start -- --help
import type { Output } from '../command.ts';
import { ignoreKnownDriverCrash } from '../platform/driver_crash.ts';
import { untilFolderAnswers } from '../platform/supervisor/folder_answers.ts';
import { readOptions, type StartOptions, usage } from '../platform/supervisor/options.ts';
import { Stack } from '../platform/supervisor/stack.ts';
import { explainStartFailure } from '../platform/supervisor/start_failure.ts';

export async function main(args: readonly string[], output: Output): Promise<number> {
  const options = readOptions([...args]);
  if (options === 'help') {
    output.log(usage);
    return 0;
  }
  // The supervisor restarts a Postgres that died; the driver's crash must not end the supervisor.
  ignoreKnownDriverCrash();
  await untilFolderAnswers(options.folder);
  const stack = createStack(options);
  let signals = 0;
  const leave = () => {
    signals++;
    // The third signal exits at once. The reaper then ends the remaining processes.
    if (signals >= 3) process.exit(1);
    if (signals > 1) return;
    process.stdout.write('Stopping …\n');
    void stack.stop().then(() => process.exit(0));
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, leave);
  // The terminal or pipe of our output may close. The shutdown must still complete.
  process.stdout.on('error', () => {});

  try {
    await stack.start();
  } catch (error) {
    if (signals > 0) return 0;
    await stack.stop();
    throw explainStartFailure(error, options.folder);
  }
  return 0;
}

function createStack(options: StartOptions): Stack {
  try {
    return new Stack(options);
  } catch (error) {
    throw explainStartFailure(error, options.folder);
  }
}
