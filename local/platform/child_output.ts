import type { ChildProcess } from 'node:child_process';

/** Everything that a program says until it ends, and how it ended. */
export async function collectOutput(child: ChildProcess): Promise<{ status: number | null; words: string }> {
  let words = '';
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk) => (words += chunk));
  const status = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  return { status, words };
}
