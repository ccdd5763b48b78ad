import { z } from 'zod';
import { readJson } from '../../_shared/http/body.ts';
import { toIssues } from '../../_shared/http/validation.ts';
import { answerAct, type Parsed } from '../answer.ts';
import type { Route } from '../environment.ts';

/** A text of a report; null and blank count as absent. */
const words = (most: number) =>
  z
    .string()
    .max(most)
    .nullish()
    .transform((given) => given?.trim() || undefined);

const fields = z.object({
  opp_id: words(200),
  reason: words(200),
  sport: words(200),
  market: words(500),
  detail: words(10_000),
});

/** Files what a caller says is no arbitrage, with the evidence of the window if `opp_id` is known. */
export const postReportBadArb: Route = {
  method: 'POST',
  path: '/v2/report-bad-arb',
  handle: (c) => answerAct(c, 'post_report', async () => parseReport(await readJson(c.req.raw))),
};

/** The body as api.post_report takes it: the five fields where something is said, and whatever else came with them. */
export function parseReport(body: unknown): Parsed {
  if (body === undefined) return { params: {}, issues: [], refusal: 'report.empty' };
  const read = z.looseObject(fields.shape).safeParse(body);
  if (!read.success) return { params: {}, issues: toIssues(read.error, 'body', body) };
  const said = Object.keys(fields.shape).some((name) => read.data[name] !== undefined);
  return said ? { params: read.data, issues: [] } : { params: {}, issues: [], refusal: 'report.empty' };
}
