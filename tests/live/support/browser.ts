import { afterAll, beforeAll } from 'vitest';
import { serveHarness } from './harness.ts';

/** Serves the harness for the tests of this `describe`. `base` is its address. */
export function servedHarness(): { readonly base: string } {
  let site: Awaited<ReturnType<typeof serveHarness>> | undefined;
  beforeAll(async () => {
    site = await serveHarness();
  });
  afterAll(() => site?.close());
  return {
    get base() {
      return site?.base ?? '';
    },
  };
}
