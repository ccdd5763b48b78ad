import { expect } from 'vitest';
import type { ApiFixture } from './fixture.ts';

/** Expects a 422 with one issue for this parameter, in the form of spec.md. */
export async function expectValidationError(
  world: ApiFixture,
  key: string,
  path: string,
  issue: { type: string; name: string; ctx: Record<string, unknown> },
): Promise<void> {
  const answer = await world.get(path, key, { 'X-Request-Id': 'r1' });
  const { type, name, ctx } = issue;
  expect(answer.status).toBe(422);
  expect(await answer.json()).toEqual({
    error: expect.stringMatching(new RegExp(`^${name}: .+\\.$`)),
    code: 'validation',
    detail: [{ loc: ['query', name], msg: expect.any(String), type, input: expect.any(String), ctx }],
    request_id: 'r1',
  });
}
