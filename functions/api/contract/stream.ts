import { z } from 'zod';
import { marketId, named, price, time, venue } from './fields.ts';
import { bestEdge, bestQuotes, market } from './market.ts';
import { opportunity } from './opportunity.ts';
import { settlement } from './settlement.ts';

const channels = z.array(z.string());

export const streamTicket = named(
  'StreamTicket',
  z
    .strictObject({
      ticket: z.string().describe('Opaque, good for one connection. Send it as `data.t` of the connect command.'),
      ws_url: z.url().describe('URL of the stream, the same for every ticket.'),
      expires_in: z.int().positive().describe('Seconds until the ticket expires.'),
      allowed: z
        .strictObject({
          channels: channels.describe('Channels of your tier. The connect subscribes you to all of them.'),
          max_conns: z.int().nonnegative().describe('Maximum of concurrent connections of your organization.'),
        })
        .describe('Limits of the tier.'),
      realtime: z
        .strictObject({
          url: z.url().describe('For `createClient` of supabase-js.'),
          apikey: z.string().describe('The project’s publishable key.'),
          access_token: z.string().describe('Authorizes the private channels in `topics` only.'),
          expires_in: z
            .int()
            .positive()
            .describe('Seconds until the token expires. Get the next one when fewer than 45 remain.'),
          topics: channels.describe('Private channels to join. Their event is `frames`.'),
        })
        .nullable()
        .describe('For clients that use supabase-js. Null while `max_conns` such tokens are valid.'),
    })
    .describe('A ticket for the stream.'),
);

export const streamReplay = named(
  'StreamReplay',
  z
    .strictObject({
      channel: z.string().describe('The requested channel.'),
      epoch: z.string().describe('Current epoch of the channel. Offsets of another epoch are not comparable.'),
      recovered: z.boolean().describe('Whether `frames` continue your position without a gap.'),
      offset: z
        .int()
        .nonnegative()
        .describe('Offset of the last frame in `frames`; without recovery, the offset to continue from.'),
      top: z.int().nonnegative().describe('Offset of the newest frame.'),
      frames: z.array(z.looseObject({ type: z.string().describe('Type of the frame.') })).describe('Oldest first.'),
    })
    .describe('A page of the publication log of a channel.'),
);

const booksReadAt = z.strictObject({
  venue_a: time.nullable().describe('When the book of venue_a was read.'),
  venue_b: time.nullable().describe('When the book of venue_b was read.'),
});

const liveMarket = named(
  'LiveMarket',
  market
    .extend({
      settlement: settlement
        .pick({ parity: true, risks: true, verdict: true })
        .optional()
        .describe('Without the rule texts, which `GET /v2/pairs/{id}` has.'),
      books_read_at: booksReadAt.describe(
        'When the books of these prices were read, never rounded or delayed; null where a venue has none.',
      ),
    })
    .describe('A Market as the stream publishes it in a `market` frame.'),
);

const quote = named(
  'Quote',
  z
    .strictObject({
      type: z.literal('quote').describe('Type of the frame.'),
      venue: venue.describe('The venue of the contract.'),
      contract_id: z.string().describe('Ticker on venue_a, token id on venue_b.'),
      side: z.enum(['yes', 'no']).nullable().describe('Side of the contract of venue_a; null for a token of venue_b.'),
      bid: price.nullable().describe('Best bid in USD; null without one.'),
      ask: price.nullable().describe('Best ask in USD; null without one.'),
      bid_size: z.number().min(0).nullable().describe('Contracts at the bid.'),
      ask_size: z.number().min(0).nullable().describe('Contracts at the ask.'),
      venue_time: time.nullable().describe('The venue’s own time of the message; null where the message has none.'),
      read_at: time.nullable().describe('When the message was read.'),
      market_id: marketId.describe('The market that the contract belongs to.'),
    })
    .describe('The last quote of a leg, as in a `quote` frame.'),
);

const best = named(
  'Best',
  z
    .strictObject({
      type: z.literal('best').describe('Type of the frame.'),
      id: marketId.describe('The market.'),
      priced_at: time.nullable().describe('Time of the prices.'),
      books_read_at: booksReadAt.describe('When the books of these prices were read, never rounded or delayed.'),
      best: bestQuotes.describe('One for each outcome, in their order; empty without prices.'),
      best_edge_pct: bestEdge.describe('As `best_edge_pct` of a Market with `include=best`.'),
    })
    .describe('The last best quotes of a market, as in a `best` frame.'),
);

const streamFeed = z
  .strictObject({
    venue: venue.describe('The venue.'),
    state: z.enum(['up', 'stale', 'down']).describe('As in a `feed` frame.'),
    last_message_at: time.nullable().describe('Time of the last message; null where it is unknown.'),
  })
  .describe('State of the feed of one venue.');

export const streamState = named(
  'StreamState',
  z
    .strictObject({
      channel: z.string().describe('The requested channel.'),
      epoch: z.string().describe('Current epoch of the channel.'),
      offset: z.int().nonnegative().describe('The state holds all frames up to this offset. Apply those after it.'),
      markets: z.array(liveMarket).describe('Markets that are not over, by start; empty for other channels.'),
      opportunities: z.array(opportunity).describe('Open opportunities of these markets, largest edge first.'),
      feeds: z.array(streamFeed).nullable().describe('With `status` only; otherwise null.'),
      quotes: z.array(quote).nullable().describe('With `quotes:all` only: legs with a price; otherwise null.'),
      best: z.array(best).nullable().describe('With `best:all` only: markets with prices; otherwise null.'),
    })
    .describe('What a channel holds at an offset.'),
);
