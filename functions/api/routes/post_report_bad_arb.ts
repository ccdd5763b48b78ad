import { z } from 'zod';
import type { Route } from '../app_types.ts';
import { reportDocs } from '../contract/docs.ts';
import { parseJsonBody } from '../http/body.ts';
import { toIssues } from '../http/validation.ts';
import type { ParsedRequest } from '../parsed_request.ts';
import { respondAction } from '../respond.ts';

/** A text of a report. Null and blank count as absent. */
const optionalText = (maxCharacters: number) =>
  z
    .string()
    .max(maxCharacters)
    .nullish()
    .transform((given) => given?.trim() || undefined);

const fields = z.object({
  opp_id: optionalText(200).describe('The `id` of an Opportunity. Its evidence is stored with the report.'),
  reason: optionalText(200).describe('The reason in a few words.'),
  sport: optionalText(200).describe('The sport, if there is no `opp_id`.'),
  market: optionalText(500).describe('The market or game.'),
  detail: optionalText(10_000).describe('More details.'),
});

/**
 * Stores a report that an opportunity is not an arbitrage, with its evidence where `opp_id` is
 * known.
 */
export const postReportBadArb: Route = {
  method: 'POST',
  path: '/v2/report-bad-arb',
  docs: reportDocs,
  body: fields,
  handle: (c) => respondAction(c, 'post_report', async () => parseReport(await parseJsonBody(c.req.raw))),
};

/** Parses the body for api.post_report: the five known fields, and all others unchanged. */
export function parseReport(body: unknown): ParsedRequest {
  if (body === undefined) return { params: {}, issues: [], errorCode: 'report.empty' };
  const parsed = z.looseObject(fields.shape).safeParse(body);
  if (!parsed.success) return { params: {}, issues: toIssues(parsed.error, 'body', body) };
  const hasContent = Object.keys(fields.shape).some((name) => parsed.data[name] !== undefined);
  return hasContent ? { params: parsed.data, issues: [] } : { params: {}, issues: [], errorCode: 'report.empty' };
}
