import type { ApiErrorCode } from './http/errors.ts';
import type { Issue } from './http/validation.ts';

/**
 * The parameters of a request after validation. `errorCode`: a 400 of the route itself, where the
 * form of the parameters is right.
 */
export type ParsedRequest = { params: Record<string, unknown>; issues: readonly Issue[]; errorCode?: ApiErrorCode };
