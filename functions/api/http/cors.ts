/**
 * Allows any origin without credentials. A page must send the key itself, so no cookie can
 * authorize a request.
 */
export const corsHeaders = {
  'Access-Control-Allow-Origin': '*',
  'Access-Control-Expose-Headers': 'RateLimit, RateLimit-Policy, Retry-After, ETag, X-Request-Id, X-As-Of',
};

/** The response to every OPTIONS. It needs no key: browsers send none with a preflight. */
export function preflight(): Response {
  return new Response(null, {
    status: 204,
    headers: {
      'Access-Control-Allow-Methods': 'GET, HEAD, POST, PATCH, DELETE, OPTIONS',
      'Access-Control-Allow-Headers':
        'Authorization, Content-Type, If-None-Match, Mcp-Method, Mcp-Name, Mcp-Protocol-Version, X-API-Key, X-Request-Id',
      'Access-Control-Max-Age': '86400',
    },
  });
}
