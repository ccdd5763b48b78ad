import type { Arguments } from './arguments.ts';

/** The blocks of a market that its text needs, also where the caller did not ask for them. */
const TEXT_BLOCKS = ['depth', 'settlement', 'best'];

type Row = Record<string, unknown>;

/** `include` for the route: what the caller asked for, and what the text needs. */
export function withTextBlocks(args: Arguments): Arguments {
  return { ...args, include: [...new Set([...requestedBlocks(args), ...TEXT_BLOCKS])] };
}

const requestedBlocks = ({ include }: Arguments): string[] =>
  (Array.isArray(include) ? include : []).map((block) => String(block).toLowerCase());

/**
 * A Market or a MarketList without the blocks that only the text needs. The structured content is
 * then the response to the request of the caller.
 */
export function withoutTextBlocks(body: Row, args: Arguments): Row {
  const requested = requestedBlocks(args);
  const extra = new Set(TEXT_BLOCKS.filter((block) => !requested.includes(block)));
  return Array.isArray(body.markets)
    ? { ...body, markets: body.markets.map((row: Row) => withoutBlocks(row, extra)) }
    : withoutBlocks(body, extra);
}

function withoutBlocks(row: Row, extra: ReadonlySet<string>): Row {
  const kept = { ...row };
  if (extra.has('settlement')) delete kept.settlement;
  if (extra.has('best')) {
    delete kept.best;
    delete kept.best_edge_pct;
  }
  if (extra.has('depth') && Array.isArray(row.outcomes)) {
    kept.outcomes = row.outcomes.map(({ venue_a_book, venue_b_book, ...outcome }: Row) => outcome);
  }
  return kept;
}
