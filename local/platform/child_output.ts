import type { ChildProcess } from 'node:child_process';

/** Collects the output of a program until it ends. Returns it with the exit status. */
export async function collectOutput(child: ChildProcess): Promise<{ status: number | null; output: string }> {
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk) => (output += chunk));
  const status = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  return { status, output };
}
