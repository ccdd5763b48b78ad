import { ApiError, type ErrorCode } from '../http/errors.ts';
import type { Issue } from '../http/validation.ts';

/** Why a tool has no answer: the error body of REST, with its `code` or its `detail`. */
export type ToolError = { error?: string; code?: string; detail?: readonly Issue[]; request_id?: string } & Record<
  string,
  unknown
>;

export const parseToolError = (body: Record<string, unknown>): ToolError => body as ToolError;

/** The error body that REST would have sent. */
export function toToolError(error: unknown, requestId: string): ToolError {
  const known = error instanceof ApiError ? error : new ApiError('internal');
  return { error: known.message, code: known.code, request_id: requestId, ...known.fields };
}

/** What else to do about it, in the words of the tools. */
const HINTS: Partial<Record<ErrorCode, string>> = {
  'pair.not_found': 'Take ids from find_markets, list_markets, find_arbitrage or get_spreads.',
  'search.blank': 'To list without words, use list_markets.',
  'stream.tier': 'Without live prices, get_market shows what was two minutes ago.',
  'rate.window': 'Wait, then call again; ask for more rows at once rather than more often.',
  'url.too_long': 'Give fewer or shorter arguments.',
  'route.not_found': 'This server does not offer that yet.',
};

/** Routes that a message of REST may name, by the tool that an agent has instead. */
const TOOL_BY_ROUTE: Readonly<Record<string, string>> = { '/v2/arbitrage': 'find_arbitrage' };

/** A fault as a model reads it: what is wrong, with which argument, and what to do. */
export function renderToolError(fault: ToolError): string {
  if (fault.detail) {
    const lines = fault.detail.map((issue) => `- ${renderIssue(issue)}`);
    return ['These arguments cannot be used [invalid_arguments]:', ...lines, 'Mend them and call again.'].join('\n');
  }
  const hint = HINTS[fault.code as ErrorCode];
  const wait = typeof fault.retry_after === 'number' ? ` retry_after: ${fault.retry_after} s.` : '';
  return `${fault.error ?? 'It failed.'} [${fault.code ?? 'internal'}]${wait}${hint ? ` ${hint}` : ''}`;
}

function renderIssue(issue: Issue): string {
  const [, ...path] = issue.loc;
  const named = path.length > 0 ? `${path.join('.')}: ` : '';
  const msg = issue.msg.replace(/\/v2\/[a-z-]+/g, (route) => TOOL_BY_ROUTE[route] ?? route);
  const given = issue.input === undefined ? '' : `; given ${JSON.stringify(issue.input).slice(0, 120)}`;
  return `${named}${msg} (${issue.type})${given}`;
}
