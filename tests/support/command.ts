import { Console } from 'node:console';
import { Writable } from 'node:stream';
import { type Command, runCommand } from '../../local/command.ts';

export type CommandRun = { status: number; out: string; err: string };

/** Runs a command in this process. */
export async function callCommand(command: Command, args: readonly string[]): Promise<CommandRun> {
  const texts = { out: '', err: '' };
  const collect = (into: keyof typeof texts) =>
    new Writable({
      write(chunk, _encoding, done) {
        texts[into] += String(chunk);
        done();
      },
    });
  const status = await runCommand(command, args, new Console(collect('out'), collect('err')));
  return { status, ...texts };
}
