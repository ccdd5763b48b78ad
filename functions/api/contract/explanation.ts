import { z } from 'zod';
import { delaySeconds, marketId, named, signal, time, venue } from './fields.ts';
import { status, title } from './market.ts';
import { ruleRecord } from './opportunity.ts';
import { risk } from './settlement.ts';

const gate = z
  .strictObject({
    gate: z.enum(['band', 'parity', 'risk', 'priced']).describe('Name of the gate. The four are in this order.'),
    open: z.boolean().describe('Whether the gate is open.'),
    reason: z.string().nullable().describe('Code: why it is closed. Null for an open gate.'),
  })
  .describe('One condition of the arbitrage signal.');

const closestLeg = z
  .strictObject({
    outcome: z.string().describe('The `key` of the outcome.'),
    venue: venue.describe('The venue with the lower `net`.'),
    contract: z.string().nullable().describe('Ticker of venue_a, or token id of venue_b.'),
    side: z
      .enum(['yes', 'no'])
      .nullable()
      .describe('The side of the ticker that pays for the outcome; null on venue_b.'),
    price: z.number().min(0).max(1).describe('The ask in USD.'),
    fee: z.number().min(0).describe('Taker fee of one contract at this price in USD.'),
    net: z.number().describe('`price` plus `fee`.'),
    size: z.number().min(0).nullable().describe('Contracts at the ask; null where unknown.'),
  })
  .describe('The cheapest contract of an outcome, as `best.buy` of the market.');

export const explanation = named(
  'Explanation',
  z
    .strictObject({
      id: marketId.describe('The market.'),
      title,
      status,
      signal,
      snapshot_at: time.describe('Time of the prices.'),
      delay_seconds: delaySeconds,
      code: z
        .string()
        .nullable()
        .describe(
          'The one reason: the state of the market (`pair.*`), else the first closed gate, else what followed with all gates open (`opportunity.open`, `edge.none`, `fee.unknown` …). Null where nothing is known yet.',
        ),
      gates: z.array(gate).describe('All four gates. An opportunity needs each of them open.'),
      opportunity: z
        .strictObject({
          id: z.string().describe('Id of the opportunity.'),
          opened_at: time.describe('When it opened.'),
          closed_at: time.nullable().describe('When it closed; null while it is open.'),
          reason: z.string().nullable().describe('Code: why it closed; null while it is open.'),
        })
        .nullable()
        .describe('The newest opportunity of the market; null if it had none.'),
      rejections: z
        .array(
          z.strictObject({
            stage: z.string().describe('Where it was rejected.'),
            reason: z.string().describe('Code: why.'),
            first_at: time.describe('The first time.'),
            last_at: time.describe('The last time, up to the snapshot.'),
            is_current: z.boolean().describe('Whether no later price had another result.'),
          }),
        )
        .describe('At most ten reasons for which an edge was rejected, the last first.'),
      closest: z
        .strictObject({
          edge_pct: z
            .number()
            .describe('What buying every leg leaves after fees, in points of the $1 payout. Mostly negative.'),
          cost_per_payout_usd: z.number().describe('USD to buy one of each leg, fees included.'),
          contracts: z
            .number()
            .nullable()
            .describe('Contracts of each leg at these asks; null where a size is unknown.'),
          legs: z.array(closestLeg).describe('One for each outcome.'),
        })
        .nullable()
        .describe(
          'How close the asks of the snapshot come to an arbitrage. Null without an ask and a fee for every outcome, and where one of each does not return $1. A contract of another outcome that would pay in the same case is not considered.',
        ),
      risks: z.array(risk).describe('How the contracts may settle differently, worst first.'),
      rule: ruleRecord,
      weakest_link: z
        .string()
        .describe('The most likely cause of a loss, as a sentence: the worst risk, or the record of the rule.'),
    })
    .describe('Why a market is or is no opportunity.'),
);
