import { readFileSync } from 'node:fs';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

const usesStack = ({ moduleId }: TestSpecification): boolean =>
  readFileSync(moduleId, 'utf8').includes('useSharedStack');

/** The files that share the running stack go first, so that one start of it serves them all. */
export class StackFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    return [...sorted.filter(usesStack), ...sorted.filter((file) => !usesStack(file))];
  }
}
