import { account } from './account.ts';
import { coverage } from './coverage.ts';
import { categoryList, leagueList } from './discovery.ts';
import { explanation } from './explanation.ts';
import { exportedDay } from './export.ts';
import { health } from './health.ts';
import { history } from './history.ts';
import { lookup } from './lookup.ts';
import { market, marketList, sample } from './market.ts';
import { opportunityList } from './opportunity.ts';
import { pastOpportunityList } from './past_opportunity.ts';
import { reportReceipt } from './report.ts';
import { ruleList } from './rules.ts';
import { searchResult } from './search.ts';
import { spreadList } from './spreads.ts';
import { streamReplay, streamState, streamTicket } from './stream.ts';
import { trackRecord } from './track_record.ts';
import { webhook, webhookDeliveries, webhookDeliveryId, webhookList, webhookRoll, webhookSecret } from './webhook.ts';

/** Schemas of the responses by their names in the document. */
export const responseSchemas = {
  Account: account,
  CategoryList: categoryList,
  Coverage: coverage,
  Explanation: explanation,
  ExportedDay: exportedDay,
  Health: health,
  History: history,
  LeagueList: leagueList,
  Lookup: lookup,
  Market: market,
  MarketList: marketList,
  OpportunityList: opportunityList,
  PastOpportunityList: pastOpportunityList,
  Received: reportReceipt,
  RuleList: ruleList,
  Sample: sample,
  SearchResult: searchResult,
  SpreadList: spreadList,
  StreamReplay: streamReplay,
  StreamState: streamState,
  StreamTicket: streamTicket,
  TrackRecord: trackRecord,
  Webhook: webhook,
  WebhookDeliveries: webhookDeliveries,
  WebhookDeliveryId: webhookDeliveryId,
  WebhookList: webhookList,
  WebhookRoll: webhookRoll,
  WebhookSecret: webhookSecret,
} as const;

export type ResponseName = keyof typeof responseSchemas;
