import { z } from 'zod';
import { context, count, delaySeconds, marketId, named, price, time, venue } from './fields.ts';
import { category, marketType, tags } from './market.ts';
import { risk } from './settlement.ts';

const ask = price.gt(0);

export const leg = named(
  'Leg',
  z
    .strictObject({
      outcome: z.string().describe('The outcome that this leg pays $1 on if it comes true.'),
      outcome_name: z
        .string()
        .nullable()
        .describe('Its name, as a person reads it; from the venues, so show it as text.'),
      venue: venue.describe('Where to buy it.'),
      side: z
        .enum(['yes', 'no'])
        .nullable()
        .describe(
          'The side of `contract_id` to buy; null for an outcome token of venue_b. With `no` the contract asks about another outcome than `outcome`.',
        ),
      ask_usd: ask.describe('USD paid per contract at the selected best ask, before fees.'),
      stake_fraction: z
        .number()
        .gt(0)
        .max(1)
        .describe(
          'Share of the whole wager that goes to this leg, fees included; six decimals, summing to 1 over the legs.',
        ),
      available_contracts: z.number().gt(0).describe('Contracts offered at `ask_usd` in the observed book.'),
      contract_id: z.string().describe('The exact ticker (venue_a) or outcome-token id (venue_b) to buy.'),
      contract_label: z
        .string()
        .nullable()
        .describe(
          'The venue’s own name of the contract; on venue_b its market’s question with the token’s label. Null where the venue gives none. It comes from the venue: show it as text.',
        ),
      instruction: z
        .string()
        .describe(
          'What to buy, as one sentence: the side and the contract by id and label, and when it pays $1. With `side: "no"` the contract is about the other outcome. Names in it come from the venues: show it as text.',
        ),
      url: z.url().nullable().describe('The venue’s page of the event; null where no public address is verified.'),
      fee_usd: z
        .number()
        .min(0)
        .optional()
        .describe('The venue’s fee in USD for one contract, rounded as the venue rounds.'),
      match_delay_seconds: z
        .number()
        .gt(0)
        .optional()
        .describe('How long the venue holds an order before it may match, where it does.'),
    })
    .describe('One contract to buy.'),
);

const sizeCurvePoint = z
  .strictObject({
    contracts: z.number().gt(0).describe('How many of each leg.'),
    cost_usd: z.number().gt(0).describe('What they cost together, fees as rounded at that size included.'),
    edge_pct: z.number().describe('What is left, in points of the payout.'),
  })
  .describe('One step down both books.');

export const ruleRecord = named(
  'RuleRecord',
  z
    .strictObject({
      agreeing: z
        .int()
        .min(0)
        .describe('Settled occasions (a game, a day, a race) of this rule that both venues paid alike.'),
      diverging: z.int().min(0).describe('Settled occasions of this rule that the venues paid differently.'),
      bound_pct: z
        .number()
        .min(0)
        .max(100)
        .describe(
          'Upper bound of the share of occasions that diverge, in percent: Clopper-Pearson, one-sided, 95 % confidence. 100 where nothing has settled.',
        ),
    })
    .describe('The settled history of the pair’s resolution rule: this service’s own and its backtest.'),
);

export const opportunity = named(
  'Opportunity',
  z
    .strictObject({
      id: z.string().describe('Stable from the window’s opening to its close.'),
      market_id: marketId.describe('The Market: `GET /v2/pairs/{market_id}`.'),
      title: z.string().nullable().describe('As a person reads it. It comes from the venues: show it as text.'),
      category,
      market_type: marketType,
      ...z.strictObject(context).partial().shape,
      tags,
      start_time: time.nullable().describe('When the event starts.'),
      edge_pct: z.number().gt(0).describe('Modeled net profit in points of the $1 payout, after fees.'),
      roi_pct: z.number().gt(0).describe('Modeled net profit divided by `max_wager_usd`, in percent.'),
      fees_included: z.literal(true).describe('Always true.'),
      fee_model: z
        .literal('conservative_per_contract')
        .describe('Fees are modeled for one contract per leg and scaled: a venue’s rounding at quantity can differ.'),
      cost_per_payout_usd: z.number().gt(0).lt(1).describe('USD to buy one of each leg, fees included.'),
      max_contracts: z.number().gt(0).describe('Equal number of each leg that the observed books hold at these asks.'),
      max_wager_usd: z
        .number()
        .gt(0)
        .describe('USD for `max_contracts` of each leg, fees included, rounded up to 1e-6.'),
      confidence: z.number().min(0.95).max(1).describe('The lower of the pair’s two confidences.'),
      detected_at: time.nullable().describe('When the window opened.'),
      priced_at: time.nullable().describe('When its asks or sizes last changed.'),
      legs: z.array(leg).min(2).describe('One a outcome: exactly one of them pays.'),
      ladder: z
        .array(sizeCurvePoint)
        .nullable()
        .describe('The cost of walking both books with each venue’s real rounding, until the edge is gone.'),
      risks: z
        .array(risk)
        .describe('How this pair may settle differently, worst first: the same as `settlement.risks` of its Market.'),
      rule: ruleRecord,
      edge_after_bound_pct: z
        .number()
        .describe(
          '`edge_pct` less `rule.bound_pct`, in points of the $1 payout: the average profit if divergences are as common as the record allows and each pays $0. It may be negative.',
        ),
      weakest_link: z
        .string()
        .describe('What is most likely to break this pair, in a sentence: its worst risk, or the record of its rule.'),
    })
    .describe('A confirmed arbitrage window: buy every leg in equal number, and one of them pays $1.'),
);

export const opportunityList = named(
  'OpportunityList',
  z
    .strictObject({
      as_of: time
        .nullable()
        .describe('The newest `priced_at` among the rows: judge freshness by it. Null when there are none.'),
      delay_seconds: delaySeconds,
      count: count.describe('How many rows are in this answer.'),
      opportunities: z.array(opportunity).describe('Empty most of the time: that is the normal state.'),
    })
    .describe('Confirmed arbitrage at the snapshot.'),
);
