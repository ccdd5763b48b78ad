import { z } from 'zod';
import { context, count, delaySeconds, marketId, named, price, time, venue } from './fields.ts';
import { category, marketType, tags } from './market.ts';
import { outcome } from './outcome.ts';
import { risk, settlement } from './settlement.ts';

const ask = price.gt(0);

export const leg = named(
  'Leg',
  z
    .strictObject({
      outcome: z.string().describe('The leg pays $1 if this outcome comes true.'),
      outcome_name: z
        .string()
        .nullable()
        .describe('Name of the outcome. It comes from the venues: display it as text.'),
      venue: venue.describe('The venue to buy on.'),
      side: z
        .enum(['yes', 'no'])
        .nullable()
        .describe(
          'The side of `contract_id` to buy; null for an outcome token of venue_b. With `no`, the contract asks about the other outcome.',
        ),
      ask_usd: ask.describe('USD per contract at the best ask, before fees.'),
      stake_fraction: z
        .number()
        .gt(0)
        .max(1)
        .describe('Share of this leg in the whole wager, fees included; six decimals, the sum over the legs is 1.'),
      available_contracts: z.number().gt(0).describe('Contracts offered at `ask_usd` in the book.'),
      contract_id: z.string().describe('The exact ticker (venue_a) or outcome-token id (venue_b) to buy.'),
      contract_label: z
        .string()
        .nullable()
        .describe(
          'Name of the contract on the venue; on venue_b the question of its market with the label of the token. Null where the venue has none. It comes from the venue: display it as text.',
        ),
      instruction: z
        .string()
        .describe(
          'One sentence: the side and the contract to buy, by id and label, and when it pays $1. With `side: "no"` the contract asks about the other outcome. Names in it come from the venues: display it as text.',
        ),
      url: z.url().nullable().describe('Page of the event on the venue; null where no public URL is verified.'),
      fee_usd: z
        .number()
        .min(0)
        .optional()
        .describe('Fee of the venue in USD for one contract, rounded as the venue rounds.'),
      match_delay_seconds: z.number().gt(0).optional().describe('`match_delay_ms` in seconds.'),
      match_delay_ms: z
        .number()
        .gt(0)
        .optional()
        .describe('Milliseconds that the venue delays an order before it can match; absent without a known delay.'),
      min_order: z
        .number()
        .min(0)
        .nullable()
        .optional()
        .describe(
          'REST only: the smallest order in contracts, as the venue lists it for this contract; null where it states none. venue_b also refuses a purchase below $1.',
        ),
      tick: z
        .number()
        .gt(0)
        .nullable()
        .optional()
        .describe(
          'REST only: the price step in USD that the venue lists for this contract at `ask_usd`; null where it states none. It can be finer near $0 and $1.',
        ),
    })
    .describe('One contract to buy.'),
);

const sizeCurvePoint = z
  .strictObject({
    contracts: z.number().gt(0).describe('Contracts of each leg.'),
    cost_usd: z.number().gt(0).describe('Cost of all legs, with the fees rounded at this size.'),
    edge_pct: z.number().describe('Profit after fees, in points of the payout.'),
  })
  .describe('One point of the size curve.');

export const ruleRecord = named(
  'RuleRecord',
  z
    .strictObject({
      agreeing: z
        .int()
        .min(0)
        .describe('Settled occasions (a game, a day, a race) of this rule that both venues paid equally.'),
      diverging: z.int().min(0).describe('Settled occasions of this rule that the venues paid differently.'),
      bound_pct: z
        .number()
        .min(0)
        .max(100)
        .describe(
          'Upper bound for the share of diverging occasions, in percent: Clopper-Pearson, one-sided, 95 % confidence. 100 before the first settlement.',
        ),
    })
    .describe('Settled history of the pair’s resolution rule: of this service and of the backtest.'),
);

export const opportunity = named(
  'Opportunity',
  z
    .strictObject({
      id: z.string().describe('Stable from the opening of the opportunity to its close.'),
      market_id: marketId.describe('The market: `GET /v2/pairs/{market_id}`.'),
      title: z.string().nullable().describe('Title for people. It comes from the venues: display it as text.'),
      category,
      market_type: marketType,
      ...z.strictObject(context).partial().shape,
      tags,
      start_time: time.nullable().describe('Start of the event.'),
      edge_pct: z.number().gt(0).describe('Computed net profit in points of the $1 payout, after fees.'),
      roi_pct: z.number().gt(0).describe('Computed net profit divided by `max_wager_usd`, in percent.'),
      fees_included: z.literal(true).describe('Always true.'),
      fee_model: z
        .literal('conservative_per_contract')
        .describe(
          'Fees are computed for one contract per leg and scaled. The rounding of a venue at a larger size can differ.',
        ),
      cost_per_payout_usd: z.number().gt(0).lt(1).describe('USD to buy one of each leg, fees included.'),
      max_contracts: z.number().gt(0).describe('Contracts of each leg that the books offer at these asks.'),
      max_wager_usd: z
        .number()
        .gt(0)
        .describe('USD for `max_contracts` of each leg, fees included, rounded up to 1e-6.'),
      confidence: z.number().min(0.95).max(1).describe('The lower confidence of the pair.'),
      detected_at: time.nullable().describe('Time when the opportunity opened.'),
      priced_at: time.nullable().describe('Last change of its asks or sizes.'),
      legs: z.array(leg).min(2).describe('One per outcome: exactly one of them pays.'),
      ladder: z
        .array(sizeCurvePoint)
        .nullable()
        .describe(
          'Size curve: cost and edge at growing size, with the rounding of each venue, until the edge is zero.',
        ),
      risks: z
        .array(risk)
        .describe(
          'How the contracts may settle differently, worst first. The same as `settlement.risks` of the market.',
        ),
      rule: ruleRecord,
      edge_after_bound_pct: z
        .number()
        .describe(
          '`edge_pct` minus `rule.bound_pct`, in points of the $1 payout: the average profit if settlements diverge as often as the record allows and each divergence pays $0. It may be negative.',
        ),
      weakest_link: z
        .string()
        .describe('The most likely cause of a loss, as a sentence: the worst risk, or the record of the rule.'),
      profit_usd: z
        .number()
        .gt(0)
        .optional()
        .describe(
          'REST only: USD that the whole size locks in after fees, exact: `max_contracts` minus `max_wager_usd`.',
        ),
      expected_settlement_at: time
        .nullable()
        .optional()
        .describe(
          'REST only: when both contracts are expected to have settled: the later of the expected expiration of venue_a (its close time where it states none) and the end date of venue_b. Null where neither states a time. For some sports venue_b states seven days after the start, and a venue may pay earlier or later.',
        ),
      annualized_pct: z
        .number()
        .nullable()
        .optional()
        .describe(
          'REST only: `edge_pct` · 365 days / (`expected_settlement_at` − the time of the snapshot), in points of the $1 payout for a year, two decimals, without compounding. Null where the time is unknown or past.',
        ),
      settlement: settlement.optional().describe('REST, with `include=settlement`: as in `/v2/markets`.'),
      outcomes: z
        .array(outcome)
        .optional()
        .describe(
          'REST, with `include=books`: the outcomes of the market with both books of each, as `/v2/markets` has them with `include=depth`. Empty where the market has no prices at the snapshot.',
        ),
    })
    .describe('A confirmed arbitrage: buy the same number of every leg, and exactly one of them pays $1.'),
);

export const opportunityList = named(
  'OpportunityList',
  z
    .strictObject({
      as_of: time.nullable().describe('The newest `priced_at` of the rows, for their freshness. Null without rows.'),
      delay_seconds: delaySeconds,
      count: count.describe('Number of rows in this response.'),
      opportunities: z.array(opportunity).describe('An empty list is the normal state.'),
    })
    .describe('Confirmed arbitrage at the REST snapshot.'),
);
