import { describe, expect, it } from 'vitest';
import { recordingDateOf } from '../../local/match/recording_date.ts';

describe('recordingDateOf', () => {
  it('returns the day on which the listings begin, without a stray older one', () => {
    const days = Array.from({ length: 40 }, (_, at) => ({
      event_ticker: `KXMLBGAME-26APR${10 + (at % 15)}1900AAABBB`,
    }));
    expect(recordingDateOf([{ event_ticker: 'KXNBAGAME-25JAN11HOUSAC' }, ...days], [], '2026-11-20')).toBe(
      '2026-04-10',
    );
    expect(recordingDateOf([], [{ slug: 'epl-mac-ars-2026-04-19' }], '2026-11-20')).toBe('2026-04-19');
  });
  it('returns null when no listing has a date', () => {
    expect(
      recordingDateOf([{ event_ticker: 'KXSB-27' }, null, {}], [{ slug: 'super-bowl-winner' }], '2026-11-20'),
    ).toBeNull();
    expect(recordingDateOf([{ event_ticker: 'KXPRES-28NOV07' }], [], '2026-11-20')).toBeNull();
  });
});
