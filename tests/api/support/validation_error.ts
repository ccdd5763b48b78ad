import { expect } from 'vitest';
import type { World } from './fixture.ts';

/** Asks with a key in force and expects spec.md's Validation error record: one fault, of this parameter. */
export async function expectValidationError(
  world: World,
  key: string,
  path: string,
  fault: { type: string; name: string; ctx: Record<string, unknown> },
): Promise<void> {
  const answer = await world.get(path, key, { 'X-Request-Id': 'r1' });
  const { type, name, ctx } = fault;
  expect(answer.status).toBe(422);
  expect(await answer.json()).toEqual({
    error: expect.stringMatching(new RegExp(`^${name}: .+\\.$`)),
    code: 'validation',
    detail: [{ loc: ['query', name], msg: expect.any(String), type, input: expect.any(String), ctx }],
    request_id: 'r1',
  });
}
