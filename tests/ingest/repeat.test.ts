import { expect, it } from 'vitest';
import { repeat } from '../../functions/ingest/repeat.ts';

it('repeated work that failed runs again after the shorter pause, and is logged', async () => {
  const pauses: number[] = [];
  const lines: string[] = [];
  const stopping = new AbortController();
  let runs = 0;
  await repeat({
    ms: 3_000,
    retryMs: 500,
    task: 'the lease renewal',
    work: async () => {
      runs += 1;
      if (runs === 2) throw new Error('the connection was lost');
    },
    sleep: async (ms) => {
      pauses.push(ms);
      if (pauses.length === 3) stopping.abort();
    },
    signal: stopping.signal,
    log: (line) => lines.push(line),
  });
  expect(pauses).toEqual([3_000, 500, 3_000]);
  expect(lines).toEqual(['the lease renewal failed: Error: the connection was lost']);
});
