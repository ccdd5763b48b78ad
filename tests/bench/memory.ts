import { ownMemoryMb } from '../support/process_memory.ts';
import { type ProcessRow, startStack } from '../support/stack.ts';
import { pause } from '../support/wait_until.ts';
import { progress } from './measure.ts';
import { memoryRows, partOf, round, type Sample } from './memory_rows.ts';
import type { Row } from './result_row.ts';

/**
 * A stack as `npm start` makes it, left to itself for so many minutes; own memory of its processes at the end beside that after two minutes
 * (of a run of less than four: half way).
 */
export async function memory(minutes: number): Promise<Row[]> {
  progress('npm start, for its memory');
  const stack = await startStack();
  try {
    const began = performance.now();
    const samples: Sample[] = [];
    const warm = Math.min(2, minutes / 2);
    for (const due of [warm, (warm + minutes) / 2, minutes]) {
      await pause(due * 60_000 - (performance.now() - began));
      const sample = sampleOf(stack.processes(), due);
      progress(`memory after ${wordsOf(sample)}`);
      samples.push(sample);
    }
    return memoryRows(samples);
  } finally {
    await stack.stop();
  }
}

const wordsOf = ({ minutes, parts, total }: Sample): string =>
  `${round(minutes)} min: ${round(total)} MB (${Object.entries(parts)
    .map(([part, mb]) => `${part} ${round(mb)}`)
    .join(', ')})`;

function sampleOf(processes: readonly ProcessRow[], minutes: number): Sample {
  const parts: Record<string, number> = {};
  let total = 0;
  for (const { pid, command } of processes) {
    const mb = ownMemoryMb(pid) ?? 0;
    const part = partOf(command);
    parts[part] = (parts[part] ?? 0) + mb;
    total += mb;
  }
  return { minutes, parts, total };
}
