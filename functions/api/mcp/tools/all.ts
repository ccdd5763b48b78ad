import type { Tool } from '../tool.ts';
import { findArbitrage, listSpreads, reportBadArb } from './arbitrage.ts';
import { findMarkets, getMarket, listCategories, listMarkets } from './catalog.ts';
import { watchMarkets } from './watch_markets.ts';

/** In the order in which an agent meets them: what answers most questions first. */
export const tools: readonly Tool[] = [
  findArbitrage,
  findMarkets,
  listMarkets,
  getMarket,
  listSpreads,
  listCategories,
  watchMarkets,
  reportBadArb,
];
