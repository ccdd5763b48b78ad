import type { ApiErrorCode } from './http/errors.ts';
import type { Issue } from './http/validation.ts';

/** What a route made of the request's parameters. `refusal`: a 400 of the route's own, where nothing is wrong with their form. */
export type ParsedRequest = { params: Record<string, unknown>; issues: readonly Issue[]; refusal?: ApiErrorCode };
