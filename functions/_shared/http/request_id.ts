// A value that looks like a key or a token was sent by mistake. It must not reach a log.
const REQUEST_ID_PATTERN = /^(?!sk_|sb_|whsec_|eyJ)[A-Za-z0-9._:-]{1,128}$/;

/**
 * The caller's `X-Request-Id` where it is well-formed (1 to 128 of A-Z a-z 0-9 . _ : -), else the
 * platform's `sb-request-id`, else a new id. It goes into logs and SQL comments without escaping.
 */
export function requestIdOf(headers: Headers): string {
  const given = [headers.get('X-Request-Id'), headers.get('sb-request-id')];
  return given.find((id): id is string => id !== null && REQUEST_ID_PATTERN.test(id)) ?? crypto.randomUUID();
}

/**
 * Puts the request id into a comment before the statement. pg_stat_activity and the Postgres log
 * show the comment, and base.current_request_id() (sql/02_base.sql) reads it where a row is
 * written. The comment needs no round trip and leaves no state on a pooled connection.
 */
export function withRequestId(text: string, requestId: string | undefined): string {
  return requestId !== undefined && REQUEST_ID_PATTERN.test(requestId) ? `/* request_id=${requestId} */ ${text}` : text;
}
