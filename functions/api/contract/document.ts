import type { Route } from '../app_types.ts';
import { API_VERSION } from '../app_types.ts';
import { GUIDE } from './guide.ts';
import { responseHeaders } from './headers.ts';
import { schemasFor } from './json_schema.ts';
import { buildOperation, pathOf } from './operation.ts';
import { tags } from './route_docs.ts';

/** Where the function answers on every host of the platform; relative to the host that the document came from. */
const FUNCTION_PATH = '/functions/v1/api';

/** The OpenAPI 3.1 document of the routes that say what they are. `platform` is the platform's own address, where it is known. */
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
        api_key: { type: 'http', scheme: 'bearer', description: 'An API key: `sk_live_` and 47 characters more.' },
      },
      responseHeaders,
      schemas: schemasFor(paths),
    },
  };
}
