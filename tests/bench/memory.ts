import { ownMemoryMb } from '../support/process_memory.ts';
import { type ProcessRow, startStack } from '../support/stack.ts';
import { pause } from '../support/wait_until.ts';
import { progress } from './measure.ts';
import { memoryRows, partNameOf, round, type Sample } from './memory_rows.ts';
import type { ResultRow } from './result_row.ts';

/**
 * Runs an idle `npm start` for this many minutes. Compares the memory of its processes at the end
 * with that after two minutes, or after half of a run below four minutes.
 */
export async function measureMemory(minutes: number): Promise<ResultRow[]> {
  progress('memory of npm start');
  const stack = await startStack();
  try {
    const startedAt = performance.now();
    const samples: Sample[] = [];
    const warm = Math.min(2, minutes / 2);
    for (const due of [warm, (warm + minutes) / 2, minutes]) {
      await pause(due * 60_000 - (performance.now() - startedAt));
      const sample = sampleOf(stack.processes(), due);
      progress(`memory after ${sampleText(sample)}`);
      samples.push(sample);
    }
    return memoryRows(samples);
  } finally {
    await stack.stop();
  }
}

const sampleText = ({ minutes, parts, total }: Sample): string =>
  `${round(minutes)} min: ${round(total)} MB (${Object.entries(parts)
    .map(([part, mb]) => `${part} ${round(mb)}`)
    .join(', ')})`;

function sampleOf(processes: readonly ProcessRow[], minutes: number): Sample {
  const parts: Record<string, number> = {};
  let total = 0;
  for (const { pid, command } of processes) {
    const mb = ownMemoryMb(pid) ?? 0;
    const part = partNameOf(command);
    parts[part] = (parts[part] ?? 0) + mb;
    total += mb;
  }
  return { minutes, parts, total };
}
