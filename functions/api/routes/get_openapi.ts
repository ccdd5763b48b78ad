import type { Route } from '../app_types.ts';
import { openapiDocs } from '../contract/docs.ts';
import { respondPublic } from '../respond_public.ts';

/** The OpenAPI 3.1 document, built once per isolate from the validating schemas. Needs no key. */
export const getOpenapi: Route = {
  method: 'GET',
  path: '/openapi.json',
  isPublic: true,
  docs: openapiDocs,
  async handle(c) {
    // Five minutes: the document changes with a deploy only, and the ETag makes a new request
    // cheap.
    return await respondPublic(c, await c.var.services.openApiBytes(), 'public, max-age=300');
  },
};
