import { z } from 'zod';
import type { Route } from '../app_types.ts';
import { reportDocs } from '../contract/docs.ts';
import { parseJsonBody } from '../http/body.ts';
import { toIssues } from '../http/validation.ts';
import type { ParsedRequest } from '../parsed_request.ts';
import { respondAction } from '../respond.ts';

/** A text of a report; null and blank count as absent. */
const optionalText = (most: number) =>
  z
    .string()
    .max(most)
    .nullish()
    .transform((given) => given?.trim() || undefined);

const fields = z.object({
  opp_id: optionalText(200).describe('The `id` of an Opportunity: the evidence of its window is kept with the report.'),
  reason: optionalText(200).describe('In short, what is wrong.'),
  sport: optionalText(200).describe('The sport, where there is no `opp_id`.'),
  market: optionalText(500).describe('The market or game.'),
  detail: optionalText(10_000).describe('Anything more.'),
});

/** Files what a caller says is no arbitrage, with the evidence of the window if `opp_id` is known. */
export const postReportBadArb: Route = {
  method: 'POST',
  path: '/v2/report-bad-arb',
  docs: reportDocs,
  body: fields,
  handle: (c) => respondAction(c, 'post_report', async () => parseReport(await parseJsonBody(c.req.raw))),
};

/** The body as api.post_report takes it: the five fields where something is said, and whatever else came with them. */
export function parseReport(body: unknown): ParsedRequest {
  if (body === undefined) return { params: {}, issues: [], errorCode: 'report.empty' };
  const read = z.looseObject(fields.shape).safeParse(body);
  if (!read.success) return { params: {}, issues: toIssues(read.error, 'body', body) };
  const said = Object.keys(fields.shape).some((name) => read.data[name] !== undefined);
  return said ? { params: read.data, issues: [] } : { params: {}, issues: [], errorCode: 'report.empty' };
}
