// One that looks like a key or a token was put there by mistake: it must reach no log.
const REQUEST_ID_PATTERN = /^(?!sk_|sb_|whsec_|eyJ)[A-Za-z0-9._:-]{1,128}$/;

/**
 * The caller's own `X-Request-Id` where it is well-formed (1 to 128 of A-Z a-z 0-9 . _ : -), else the platform's `sb-request-id`, else a
 * new one: it goes into logs and into the comment of SQL as it is.
 */
export function requestIdOf(headers: Headers): string {
  const given = [headers.get('X-Request-Id'), headers.get('sb-request-id')];
  return given.find((id): id is string => id !== null && REQUEST_ID_PATTERN.test(id)) ?? crypto.randomUUID();
}

/**
 * A comment that names the request in front of its statement: pg_stat_activity and Postgres's log show it, and base.current_request_id() (sql/02_base.sql)
 * reads it where a row is written. It needs no round trip and leaves nothing on a pooled connection.
 */
export function withRequestId(text: string, requestId: string | undefined): string {
  return requestId !== undefined && REQUEST_ID_PATTERN.test(requestId) ? `/* request_id=${requestId} */ ${text}` : text;
}
