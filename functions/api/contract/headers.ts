const textHeader = (description: string, example: string) => ({ description, schema: { type: 'string' }, example });

/** Headers of responses, under components/headers. */
export const responseHeaders = {
  'X-Request-Id': textHeader(
    'Id of this request. A well-formed id that you send is kept.',
    '0b7e4c1e-6f0a-4b55-9d2c-6a3f1f6b7c11',
  ),
  RateLimit: textHeader(
    'Remaining requests (`r`) of each limit, and seconds until its reset (`t`).',
    '"window";r=599;t=60, "month";r=9999;t=864000',
  ),
  'RateLimit-Policy': textHeader(
    'The tier’s limits: quota (`q`) and window (`w`, seconds).',
    '"window";q=600;w=60, "month";q=10000',
  ),
  ETag: textHeader('Version of this body. Send it back in `If-None-Match`.', '"1795176000000.42"'),
  'Cache-Control': textHeader('`max-age`: seconds for which this body is current.', 'private, max-age=4'),
  Vary: textHeader('Request headers that the body depends on.', 'Authorization, Accept-Encoding'),
  'X-As-Of': textHeader('Time of the REST snapshot.', '2026-11-20T11:58:00.000Z'),
  Deprecation: textHeader('Start of the deprecation, in seconds since 1970.', '@1795132800'),
  Link: textHeader('The successor of this route.', '</v2/categories>; rel="successor-version"'),
  'Retry-After': textHeader('Seconds to wait.', '1'),
  'WWW-Authenticate': textHeader('The required authentication scheme.', 'Bearer'),
} as const;

export type HeaderName = keyof typeof responseHeaders;

export const headerRefs = (names: readonly HeaderName[]) =>
  Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
