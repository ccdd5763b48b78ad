import { describe, expect, test } from 'vitest';
import { type JsonFault, type JsonLimits, JsonScan } from '../../functions/_shared/json_limits.ts';

/**
 * Guarantee: a JSON text over its limits is refused at the part that exceeds them, wherever it is
 * cut, and brackets and commas inside of strings count as nothing.
 */

const LIMITS = { maxDepth: 2, maxValues: 3 };

function faultOf(parts: readonly string[], limits: JsonLimits = LIMITS): JsonFault | null {
  const scan = new JsonScan(limits);
  for (const part of parts) {
    const fault = scan.add(part);
    if (fault !== null) return fault;
  }
  return null;
}

const CASES: [text: string, fault: JsonFault | null][] = [
  ['[[1]]', null],
  ['[[[', 'too_deep'],
  ['{"a":{"b":{', 'too_deep'],
  ['[{"a":[', 'too_deep'],
  // A level that was closed may be opened again.
  ['[[1],2]', null],
  ['[1,2,3]', null],
  ['[1,2,3,4]', 'too_many'],
  ['[[1],[2]]', 'too_many'],
  ['[{"a":1},2]', null],
  ['[{"a":1,"b":2},3]', 'too_many'],
  ['["[[[,,,,"]', null],
  ['["\\"[[[,,,,"]', null],
  ['["\\\\",[2,3]]', 'too_many'],
  ['["\\\\\\"[[[,,,"]', null],
  ['[",",",",","]', null],
  ['[",",",",",",","]', 'too_many'],
];

describe('a JSON text', () => {
  test.each(CASES)('%s has the fault %s, whole and cut at any one or two places', (text, fault) => {
    expect(faultOf([text])).toBe(fault);
    for (let one = 0; one <= text.length; one += 1)
      for (let two = one; two <= text.length; two += 1) {
        const parts = [text.slice(0, one), text.slice(one, two), text.slice(two)];
        expect(faultOf(parts), JSON.stringify(parts)).toBe(fault);
      }
  });

  test('may have any number of values where no limit is set', () => {
    expect(faultOf([`[${'1,'.repeat(10_000)}1]`], { maxDepth: 1 })).toBeNull();
  });
});
