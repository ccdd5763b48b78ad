import { connect } from 'node:net';
import { createInterface } from 'node:readline';
import { inject } from 'vitest';

/**
 * Uses a part that the files of a run share (shared_parts.ts), and starts it if no file has. It
 * runs until `release`, or the end of this process.
 */
export async function useSharedPart<F>(name: string): Promise<{ facts: F; release(): void }> {
  const socket = connect(inject('sharedParts'));
  socket.write(`${name}\n`);
  const [line] = await new Promise<string[]>((resolve, reject) => {
    createInterface(socket).once('line', (text) => resolve([text]));
    socket.once('error', reject);
    socket.once('close', () => reject(new Error(`the set-up ended the connection for ${name}`)));
  });
  const { facts, error } = JSON.parse(line ?? '') as { facts: F; error?: string };
  if (error !== undefined) throw new Error(error);
  return { facts, release: () => void socket.destroy() };
}
