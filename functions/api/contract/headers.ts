const textHeader = (description: string, example: string) => ({ description, schema: { type: 'string' }, example });

/** The headers of answers, under components/headers. */
export const responseHeaders = {
  'X-Request-Id': textHeader(
    'Names this request; a well-formed one that you send is kept.',
    '0b7e4c1e-6f0a-4b55-9d2c-6a3f1f6b7c11',
  ),
  RateLimit: textHeader(
    'What remains (`r`) of each limit, and seconds until it is whole again (`t`).',
    '"window";r=599;t=60, "month";r=9999;t=864000',
  ),
  'RateLimit-Policy': textHeader(
    'The tier’s limits: quota (`q`) and window (`w`, seconds).',
    '"window";q=600;w=60, "month";q=10000',
  ),
  ETag: textHeader('Names these bytes: send it back in `If-None-Match`.', '"1795176000000.42"'),
  'Cache-Control': textHeader('`max-age`: seconds for which these bytes stand.', 'private, max-age=4'),
  Vary: textHeader('What else the bytes depend on.', 'Authorization, Accept-Encoding'),
  'X-As-Of': textHeader('The moment whose state this is.', '2026-11-20T11:58:00.000Z'),
  Deprecation: textHeader('Since when it is deprecated, in seconds since 1970.', '@1795132800'),
  Link: textHeader('What to use instead.', '</v2/categories>; rel="successor-version"'),
  'Retry-After': textHeader('Seconds to wait.', '1'),
  'WWW-Authenticate': textHeader('The scheme that is wanted.', 'Bearer'),
} as const;

export type HeaderName = keyof typeof responseHeaders;

export const headerRefs = (names: readonly HeaderName[]) =>
  Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
