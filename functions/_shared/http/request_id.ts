const wellFormed = /^[A-Za-z0-9._:-]{1,128}$/;

/** The caller's own `X-Request-Id` where it is well-formed (1 to 128 of A-Z a-z 0-9 . _ : -), else a new one: it goes into logs as it is. */
export function requestIdOf(headers: Headers): string {
  const given = headers.get('X-Request-Id');
  return given !== null && wellFormed.test(given) ? given : crypto.randomUUID();
}
