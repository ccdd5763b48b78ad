import { z } from 'zod';
import { named } from './fields.ts';

export const verdict = z
  .enum(['agree', 'diverge', 'edge_case'])
  .describe('How the venues settled: equally, differently, or not in whole contracts (void, fair price).');

export const risk = named(
  'Risk',
  z
    .strictObject({
      event: z
        .string()
        .regex(/^[a-z][a-z0-9_]*$/)
        .describe(
          'Stable code, such as `postponement_window` or `settlement_source`. Risks of cancellation are not listed; they count for the signal.',
        ),
      severity: z
        .enum(['low', 'medium', 'high', 'critical'])
        .describe('`high` and `critical` set `signal` to `spread`, with any prices.'),
      note: z.string().describe('The difference as a sentence.'),
    })
    .describe('A way in which the two contracts may settle differently.'),
);

export const settlement = named(
  'Settlement',
  z
    .strictObject({
      parity: z
        .boolean()
        .describe('Whether the resolution rule of the pair is confirmed: all settled pairs of the rule agreed.'),
      risks: z.array(risk).describe('Worst first.'),
      venue_a_text: z.string().nullable().describe('Rule text of venue_a.'),
      venue_b_text: z.string().nullable().describe('Rule text of venue_b.'),
      verdict: verdict.nullable().describe('Null until settled; then equal to `result.verdict`.'),
    })
    .describe('How each venue settles, and how the contracts may settle differently.'),
);

export const result = named(
  'Result',
  z
    .strictObject({
      verdict,
      venues_agree: z.boolean().nullable().describe('Null where the payouts cannot be compared.'),
      void: z.boolean().describe('Whether neither venue paid whole contracts.'),
      winners: z.array(z.string()).describe('Keys of the outcomes that paid; empty where the venues diverge.'),
      settled_at: z.iso.datetime().describe('Settlement time of the later venue.'),
    })
    .describe('Result of a settled market.'),
);
