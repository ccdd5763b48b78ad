import type { Route } from '../app_types.ts';
import { apiVersion } from '../app_types.ts';
import { guide } from './guide.ts';
import { headers } from './headers.ts';
import { schemasFor } from './json_schema.ts';
import { operationOf, pathOf } from './operation.ts';
import { tags } from './route_docs.ts';

/** Where the function answers on every host of the platform; relative to the host that the document came from. */
const functionPath = '/functions/v1/api';

/** The OpenAPI 3.1 document of the routes that say what they are. `platform` is the platform's own address, where it is known. */
export async function documentOf(routes: readonly Route[], platform: string | undefined): Promise<object> {
  const paths: Record<string, Record<string, object>> = {};
  for (const route of routes) {
    if (!route.about) continue;
    const path = pathOf(route);
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: await operationOf(route, route.about) };
  }
  return {
    openapi: '3.1.0',
    info: { title: 'Parallax', version: apiVersion, description: guide },
    servers: [{ url: `${platform?.replace(/\/$/, '') ?? ''}${functionPath}` }],
    security: [{ api_key: [] }],
    tags: Object.entries(tags).map(([name, description]) => ({ name, description })),
    paths,
    components: {
      securitySchemes: {
        api_key: { type: 'http', scheme: 'bearer', description: 'An API key: `sk_live_` and 47 characters more.' },
      },
      headers,
      schemas: schemasFor(paths),
    },
  };
}
