import { z } from 'zod';
import { named } from './fields.ts';

export const verdict = z
  .enum(['agree', 'diverge', 'edge_case'])
  .describe('How the venues settled: alike, differently, or not in whole contracts (a void, a fair price).');

export const risk = named(
  'Risk',
  z
    .strictObject({
      event: z
        .string()
        .regex(/^[a-z][a-z0-9_]*$/)
        .describe(
          'Stable code, such as `postponement_window` or `settlement_source`. Cancellation is never listed; it counts in the signal.',
        ),
      severity: z
        .enum(['low', 'medium', 'high', 'critical'])
        .describe('`high` and `critical` force `signal` to `spread`, even when prices line up.'),
      note: z.string().describe('What differs, in a sentence.'),
    })
    .describe('A way in which the two contracts may settle differently.'),
);

export const settlement = named(
  'Settlement',
  z
    .strictObject({
      parity: z
        .boolean()
        .describe(
          'Whether this pair’s resolution rule is confirmed and backtested over settled pairs that all agreed.',
        ),
      risks: z.array(risk).describe('Worst first.'),
      venue_a_text: z.string().nullable().describe('venue_a’s own rule text.'),
      venue_b_text: z.string().nullable().describe('venue_b’s own rule text.'),
      verdict: verdict.nullable().describe('Null until settled; then as in `result`.'),
    })
    .describe('How each venue settles, and how that may differ.'),
);

export const result = named(
  'Result',
  z
    .strictObject({
      verdict,
      venues_agree: z.boolean().nullable().describe('Null where the payouts cannot be compared.'),
      void: z.boolean().describe('Neither venue paid whole contracts.'),
      winners: z.array(z.string()).describe('Keys of the outcomes that paid; empty where the venues disagree.'),
      settled_at: z.iso.datetime().describe('When the later venue settled.'),
    })
    .describe('How a settled market ended.'),
);
