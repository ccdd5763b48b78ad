import { corsHeaders } from './cors.ts';

/** The headers of every response, errors included. */
export function commonHeaders(requestId: string): Record<string, string> {
  return { 'X-Request-Id': requestId, 'X-Content-Type-Options': 'nosniff', ...corsHeaders };
}
