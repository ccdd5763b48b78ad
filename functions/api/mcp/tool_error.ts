import { ApiError, type ErrorCode } from '../http/errors.ts';
import type { Issue } from '../http/validation.ts';

/** The error body of REST, with `code` or `detail`. */
export type ToolError = { error?: string; code?: string; detail?: readonly Issue[]; request_id?: string } & Record<
  string,
  unknown
>;

export const parseToolError = (body: Record<string, unknown>): ToolError => body as ToolError;

/** Converts an error to the error body that REST would send. */
export function toToolError(error: unknown, requestId: string): ToolError {
  const known = error instanceof ApiError ? error : new ApiError('internal');
  return { error: known.message, code: known.code, request_id: requestId, ...known.fields };
}

/** Additional next steps that name tools. */
const HINTS: Partial<Record<ErrorCode, string>> = {
  'pair.not_found': 'Take ids from find_markets, list_markets, find_arbitrage or get_spreads.',
  'search.blank': 'To list markets without a search text, use list_markets.',
  'stream.tier': 'get_market returns the prices of two minutes ago.',
  'rate.window': 'Wait, then call again. Request more rows per call instead of more calls.',
  'url.too_long': 'Send fewer or shorter arguments.',
  'route.not_found': 'This server does not support it.',
};

/** Tools by the routes that an error message of REST may name. */
const TOOL_BY_ROUTE: Readonly<Record<string, string>> = { '/v2/arbitrage': 'find_arbitrage' };

/** Renders an error for a model: the problem, the argument and the next step. */
export function renderToolError(error: ToolError): string {
  if (error.detail) {
    const lines = error.detail.map((issue) => `- ${renderIssue(issue)}`);
    return ['The arguments are invalid [invalid_arguments]:', ...lines, 'Correct them and call again.'].join('\n');
  }
  const hint = HINTS[error.code as ErrorCode];
  const wait = typeof error.retry_after === 'number' ? ` retry_after: ${error.retry_after} s.` : '';
  return `${error.error ?? 'The call failed.'} [${error.code ?? 'internal'}]${wait}${hint ? ` ${hint}` : ''}`;
}

function renderIssue(issue: Issue): string {
  const [, ...path] = issue.loc;
  const prefix = path.length > 0 ? `${path.join('.')}: ` : '';
  const msg = issue.msg.replace(/\/v2\/[a-z-]+/g, (route) => TOOL_BY_ROUTE[route] ?? route);
  const received = issue.input === undefined ? '' : `; received ${JSON.stringify(issue.input).slice(0, 120)}`;
  return `${prefix}${msg} (${issue.type})${received}`;
}
