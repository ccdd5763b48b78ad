import { z } from 'zod';
import type { Route } from '../app_types.ts';
import { exportDocs } from '../contract/docs.ts';
import { renderExport } from '../export_links.ts';
import { day, list } from '../http/parameters.ts';
import { toIssues } from '../http/validation.ts';
import { parseQuery } from '../parse.ts';
import type { ParsedRequest } from '../parsed_request.ts';
import { respondAction } from '../respond.ts';
import { EXPORT_DATASETS, EXPORT_FORMATS } from '../vocabulary.ts';

const query = z.object({
  dataset: list(EXPORT_DATASETS)
    .optional()
    .describe('Only files of these data sets, comma-separated or repeated. Default: all.'),
  format: list(EXPORT_FORMATS)
    .optional()
    .describe('Only files of these formats, comma-separated or repeated. Default: both.'),
});

/** The exported files of a UTC day, with signed addresses. */
export const getExport: Route = {
  method: 'GET',
  path: '/v2/export/:day',
  docs: exportDocs,
  query,
  handle: (c) =>
    respondAction(c, 'get_export', async () => parseExport(c.req.url, c.req.param('day')), {
      renderBody: (body) => renderExport(body, c.var.services.exports),
      isLarge: true,
    }),
};

function parseExport(url: string, given = ''): ParsedRequest {
  const { params, issues } = parseQuery(query, url);
  const path = z.object({ day }).safeParse({ day: given });
  if (!path.success) issues.push(...toIssues(path.error, 'path', { day: given.slice(0, 200) }));
  return { params: { day: path.data?.day, ...params }, issues };
}
