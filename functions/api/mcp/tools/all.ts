import type { Tool } from '../tool.ts';
import { findArbitrage, listSpreads, reportBadArb } from './arbitrage.ts';
import { findMarkets, getMarket, listCategories, listMarkets } from './catalog.ts';
import { watchMarkets } from './watch_markets.ts';

/** The tools that answer most questions come first. */
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
