import type { Route } from '../app_types.ts';
import { API_VERSION } from '../app_types.ts';
import { GUIDE } from './guide.ts';
import { responseHeaders } from './headers.ts';
import { schemasFor } from './json_schema.ts';
import { buildOperation, pathOf } from './operation.ts';
import { tags } from './route_docs.ts';

/** Path of the function on every host of the platform. */
const FUNCTION_PATH = '/functions/v1/api';

/**
 * Builds the OpenAPI 3.1 document of all routes with docs. `platform`: address of the platform;
 * without it the server URL is relative.
 */
export async function buildDocument(routes: readonly Route[], platform: string | undefined): Promise<object> {
  const paths: Record<string, Record<string, object>> = {};
  for (const route of routes) {
    if (!route.docs) continue;
    const path = pathOf(route);
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: await buildOperation(route, route.docs) };
  }
  return {
    openapi: '3.1.0',
    info: { title: 'Parallax', version: API_VERSION, description: GUIDE },
    servers: [{ url: `${platform?.replace(/\/$/, '') ?? ''}${FUNCTION_PATH}` }],
    security: [{ api_key: [] }],
    tags: Object.entries(tags).map(([name, description]) => ({ name, description })),
    paths,
    components: {
      securitySchemes: {
        api_key: { type: 'http', scheme: 'bearer', description: 'An API key: `sk_live_` and 47 more characters.' },
      },
      headers: responseHeaders,
      schemas: schemasFor(paths),
    },
  };
}
