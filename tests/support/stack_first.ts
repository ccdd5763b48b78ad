import { readFileSync } from 'node:fs';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

const uses = (name: string) => (file: TestSpecification) => readFileSync(file.moduleId, 'utf8').includes(name);

/**
 * The files that share the running stack go first, so that one start of it serves them all. The
 * review is the last of them, because it waits for the second sweep of the listings.
 */
export class StackFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const readers = sorted.filter(uses('useSharedStack'));
    const review = readers.filter(uses('reviewSuite'));
    return [...new Set([...readers.filter((file) => !review.includes(file)), ...review, ...sorted])];
  }
}
