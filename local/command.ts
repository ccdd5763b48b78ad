import { UserError } from './platform/user_error.ts';

/** Where a command prints: the console, or that of a test. */
export type Output = Pick<Console, 'log' | 'error' | 'table'>;

/** `npm run NAME`. `main` returns the exit code, so that a test may call it in its own process. */
export type Command = { main(args: readonly string[], output: Output): Promise<number> };

/** Runs a command. An error becomes text, and exit code 1. */
export async function runCommand(command: Command, args: readonly string[], output: Output): Promise<number> {
  try {
    return await command.main(args, output);
  } catch (error) {
    output.error(error instanceof UserError ? error.message : error);
    return 1;
  }
}
