import { z } from 'zod';
import type { Route, Services } from '../app_types.ts';
import { trackRecordDocs } from '../contract/docs.ts';
import { choice, month, text } from '../http/parameters.ts';
import { validationResponse } from '../http/validation.ts';
import { parseQuery } from '../parse.ts';
import { respondPublic } from '../respond_public.ts';
import { TrackRecordReader } from '../track_record.ts';
import { MARKET_TYPES } from '../vocabulary.ts';

const query = z.object({
  month: month.optional().describe('Only opportunities that opened in this month, in UTC: `2026-11`.'),
  family: choice(MARKET_TYPES).optional().describe('Only this market type, in any case.'),
  competition: text.optional(),
});

const readers = new WeakMap<Services, TrackRecordReader>();

/** What served opportunities paid once both venues settled, by month, family and competition. */
export const getTrackRecord: Route = {
  method: 'GET',
  path: '/v2/track-record',
  isPublic: true,
  docs: trackRecordDocs,
  query,
  async handle(c) {
    const { params, issues } = parseQuery(query, c.req.url);
    if (!params || issues.length > 0) return validationResponse(issues, c.var.requestId);
    const cached = await readerOf(c.var.services).read(params, c.var.requestId);
    return await respondPublic(c, cached, 'public, max-age=10');
  },
};

function readerOf(services: Services): TrackRecordReader {
  const reader = readers.get(services) ?? new TrackRecordReader(services.queries, services.feedSource ?? null);
  readers.set(services, reader);
  return reader;
}
