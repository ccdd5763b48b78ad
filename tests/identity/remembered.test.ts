import { describe, expect, it } from 'vitest';
import { remembered } from '../../functions/ingest/identity/text/remembered.ts';

/**
 * Guarantee: a remembered answer is the answer of the function, it is computed once, and texts of a
 * hostile venue do not fill the memory.
 */
describe('a remembered function', () => {
  it('computes the answer to a text once, also an empty one', () => {
    const asked: string[] = [];
    const trimmed = remembered((text) => {
      asked.push(text);
      return text.trim();
    });
    expect([' a ', ' ', ' a ', ' '].map(trimmed)).toEqual(['a', '', 'a', '']);
    expect(asked).toEqual([' a ', ' ']);
  });

  it('forgets the texts that were not asked for longest, by number and by size', () => {
    const counted = () => {
      let calls = 0;
      const same = remembered((text) => {
        calls += 1;
        return text;
      });
      return { same, calls: () => calls };
    };
    const many = counted();
    for (let at = 0; at < 10_001; at += 1) many.same(`name ${at}`);
    many.same('name 10000');
    expect(many.calls()).toBe(10_001);
    many.same('name 0');
    expect(many.calls()).toBe(10_002);
    const large = counted();
    // Two texts of 300,000 characters and their answers are more than the limit.
    for (const letter of ['a', 'b', 'a', 'b']) large.same(letter.repeat(300_000));
    expect(large.calls()).toBe(4);
    // A text beyond the limit is answered and not kept.
    expect(large.same('c'.repeat(2_000_000))).toHaveLength(2_000_000);
  });
});
