import { z } from 'zod';
import { DIVERGENCE_SOURCES, RULE_STATES } from '../vocabulary.ts';
import { count, named, time } from './fields.ts';

const percent = z.number().min(0).max(100);

const pool = z
  .strictObject({
    count: count.describe('Rules in the pool, this one included.'),
    members: z.array(z.string()).max(20).describe('The `rule_id` of up to 20 of them, in alphabetical order.'),
    agreeing: count.describe('Agreeing occasions of all rules of the pool together.'),
    bound_pct: percent.describe('The bound of the pool’s divergence rate, in percent.'),
  })
  .describe(
    'Rules of sibling competitions with the same family and the same terms, none with a divergence, whose records count together.',
  );

const divergentSide = z.strictObject({
  event: z.string().describe('The event, as the venue names it.'),
  title: z.string().nullable().describe('Its title in the venue’s words.'),
  text: z
    .string()
    .nullable()
    .describe('The rule text in the venue’s words, cut after 6,000 characters: display it as text, never as markup.'),
  paid: z
    .array(
      z.strictObject({
        outcome: z.string().describe('The outcome.'),
        usd: z.number().nullable().describe('What a contract on it paid, in USD; null where it is unknown.'),
      }),
    )
    .describe('What the venue paid on each outcome.'),
});

const divergence = z.strictObject({
  occasion: z.string().describe('The game, the event or the day. All markets of an occasion count once.'),
  source: z
    .enum(DIVERGENCE_SOURCES)
    .describe('`live`: this service had paired both listings before. `backtest`: read from the settled history.'),
  settled_at: time.nullable().describe('When the later of the two venues settled.'),
  venue_a: divergentSide.describe('The listing of venue_a.'),
  venue_b: divergentSide.describe('The listing of venue_b.'),
});

const rule = named(
  'Rule',
  z
    .strictObject({
      rule_id: z.string().describe('The family, the competition, and the terms that both venues’ texts state.'),
      family: z.string().nullable().describe('The market type of its pairs.'),
      competition: z
        .string()
        .nullable()
        .describe(
          'Its competition as in `/v2/markets`; outside sports its place, asset or institution. Null without one.',
        ),
      agreeing: count.describe('Occasions on which both venues paid the same on every outcome.'),
      diverging: count.describe(
        'Occasions on which they did not. Without those that a review dismissed as a wrong pair or a clerical error.',
      ),
      bound_pct: percent.describe(
        'Upper bound of the true divergence rate, in percent, one-sided; 100 without a record.',
      ),
      state: z
        .enum(RULE_STATES)
        .describe(
          '`confirmed`: its own bound is within the limit. `pooled`: the bound of its pool is. `unconfirmed`: neither is. `withdrawn`: a divergence waits for a review. `refused`: a reviewer refused it.',
        ),
      first_at: time.nullable().describe('When its first occasion settled; null without one.'),
      last_at: time.nullable().describe('When its last occasion settled; null without one.'),
      pool: pool.nullable().describe('The pool that the rule belongs to; null where it is in none.'),
      divergences_count: count
        .optional()
        .describe('With `include=divergences`: all divergences, dismissed ones included.'),
      divergences: z
        .array(divergence)
        .max(20)
        .optional()
        .describe('With `include=divergences`: the 20 newest, with the evidence of both venues.'),
    })
    .describe('A resolution rule: pairs of equal terms, with the record of how they settled.'),
);

export const ruleList = named(
  'RuleList',
  z
    .strictObject({
      limit_pct: percent.describe('The limit: a rule is confirmed while its bound is at most this, in percent.'),
      confidence_pct: percent.describe('The one-sided confidence of every bound, in percent.'),
      count: count.describe('Rows in this response.'),
      has_more: z.boolean().describe('Whether there is a next page.'),
      next_cursor: z.string().nullable().describe('Send it as `cursor` for the next page; null on the last one.'),
      rules: z.array(rule).describe('The rules by competition, family and id.'),
    })
    .describe('Resolution rules with their settled record.'),
);
