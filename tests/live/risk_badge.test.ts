import { describe, expect, test } from 'vitest';
import type { Risk } from '../../dashboard/src/live/frames.ts';
import { riskMark, risksMark } from '../../dashboard/src/live/labels.ts';

/**
 * Guarantee: the badge of a market never hides a medium risk, and equal risks never viewport worse
 * on a spread than on an arb.
 */

const risk = (severity: Risk['severity'], event: string): Risk => ({ event, severity, note: `Money of ${event}.` });
const settled = (risks: Risk[], parity = true) => ({ parity, risks, verdict: null });
const two = [risk('low', 'tie_handling'), risk('medium', 'void_rule'), risk('medium', 'walkover')];

describe('the risk badge of a market', () => {
  test('is amber and states the number of risks for an arb with medium risks', () => {
    const mark = riskMark({ signal: 'arb', settlement: settled(two) });
    expect(mark).toMatchObject({ kind: 'is-stale', word: 'Arb-grade', risks: '2 medium risks', icon: 'warning' });
    expect(mark.why).toBe('All four gates are open. The venues can still settle differently: Money of void_rule.');
  });

  test('is green only for an arb without a medium risk, and names the low risks', () => {
    expect(riskMark({ signal: 'arb', settlement: settled([]) })).toMatchObject({ kind: 'is-up', word: 'Arb-grade' });
    const low = riskMark({ signal: 'arb', settlement: settled([risk('low', 'early_close')]) });
    expect(low).toMatchObject({ kind: 'is-up' });
    expect(low.why).toBe('All four gates are open. Only low risks are known: Money of early_close.');
    expect(riskMark({ signal: 'arb' }).kind, 'risks not loaded').toBe('is-waiting');
  });

  test.each<[string, Risk[]]>([
    ['medium', two],
    ['high', [...two, risk('high', 'push_rule')]],
    ['low', [risk('low', 'early_close')]],
  ])('of a spread has the same colour as that of an arb with the same %s risks, or a calmer one', (_name, risks) => {
    const worse = ['is-up', 'is-waiting', 'is-stale', 'is-down'];
    const arb = riskMark({ signal: 'arb', settlement: settled(risks) });
    const spread = riskMark({ signal: 'spread', settlement: settled(risks) });
    if (risks.some((one) => one.severity !== 'low')) expect(spread.kind).toBe(arb.kind);
    expect(worse.indexOf(spread.kind)).toBeLessThanOrEqual(Math.max(worse.indexOf(arb.kind), 1));
  });

  test('never states that both venues settle alike while a risk is known', () => {
    for (const signal of ['arb', 'spread'] as const)
      for (const risks of [two, [risk('low', 'x')], [risk('critical', 'y')]])
        expect(JSON.stringify(riskMark({ signal, settlement: settled(risks) }))).not.toMatch(/settle alike|confirmed/i);
  });
});

test('risksMark counts the risks of the worst severity and returns null for low risks only', () => {
  expect(risksMark(two)?.word).toBe('2 medium risks');
  expect(risksMark([risk('high', 'a'), ...two])?.word).toBe('1 high risk');
  expect(risksMark([risk('low', 'a')])).toBeNull();
  expect(risksMark([])).toBeNull();
});
