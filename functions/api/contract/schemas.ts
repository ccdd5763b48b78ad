import { account } from './account.ts';
import { coverage } from './coverage.ts';
import { categoryList, leagueList } from './discovery.ts';
import { health } from './health.ts';
import { history } from './history.ts';
import { market, marketList } from './market.ts';
import { opportunityList } from './opportunity.ts';
import { received } from './report.ts';
import { searchResult } from './search.ts';
import { spreadList } from './spreads.ts';
import { webhookList, webhookSecret } from './webhook.ts';

/** What routes answer with, by the names that they have in the document. */
export const answerSchemas = {
  Account: account,
  CategoryList: categoryList,
  Coverage: coverage,
  Health: health,
  History: history,
  LeagueList: leagueList,
  Market: market,
  MarketList: marketList,
  OpportunityList: opportunityList,
  Received: received,
  SearchResult: searchResult,
  SpreadList: spreadList,
  WebhookList: webhookList,
  WebhookSecret: webhookSecret,
} as const;

export type AnswerName = keyof typeof answerSchemas;
