import { z } from 'zod';
import { issue } from './http/validation.ts';
import type { ParsedRequest } from './parsed_request.ts';

/** Parses ids of a path such as `/v1/webhooks/:id`: each is a UUID under its name in the path. */
export function parsePathIds(ids: Readonly<Record<string, string | undefined>>): ParsedRequest {
  const issues = Object.entries(ids)
    .filter(([, id]) => !z.guid().safeParse(id).success)
    .map(([name, id = '']) => issue('uuid_parsing', ['path', name], 'Input should be a valid UUID', id.slice(0, 200)));
  return { params: issues.length > 0 ? {} : ids, issues };
}
