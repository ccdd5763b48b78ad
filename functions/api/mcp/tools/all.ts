import type { Tool } from '../tool.ts';
import { findArbitrage, listSpreads, reportBadArb } from './arbitrage.ts';
import { findMarkets, listCategories, listMarkets } from './catalog.ts';
import { explainMarket } from './explain_market.ts';
import { getMarket } from './get_market.ts';
import { watchMarkets } from './watch_markets.ts';

/** The tools that answer most questions come first. */
export const tools: readonly Tool[] = [
  findArbitrage,
  findMarkets,
  listMarkets,
  getMarket,
  explainMarket,
  listSpreads,
  listCategories,
  watchMarkets,
  reportBadArb,
];
