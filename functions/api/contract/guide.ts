import { ERRORS } from '../http/errors.ts';

/** The chapters before the endpoints, in Markdown: headings of the second level, paragraphs, lists, `code`. */
export const GUIDE = `Parallax matches the same real-world questions across two prediction-market venues, \`venue_a\` and \`venue_b\`, prices both sides from their live books, and says plainly how the two contracts may settle differently.

Prices are a snapshot about two minutes old on every tier: good for research, not for execution.

## Authentication

Every path but \`/health\` and \`/openapi.json\` needs an API key:

\`Authorization: Bearer sk_live_…\`

A key has 55 characters and is shown once, when it is made. Its last six are a checksum, so one that was not copied whole is refused before anything is looked up. A missing, malformed or revoked key is a 401 whose \`code\` says which.

Any origin may call the API from a browser. Remember that a key in a page is a key that its readers have.

## Limits

Two limits, each per organization over all its keys: a window of 60 seconds, which opens with the first request after the last one ended, and the calendar month in UTC. There is no cap per second.

- **Free**: 600 a window, 10,000 a month
- **Basic**: 600 a window, 1,000,000 a month
- **Premium**: 1,500 a window, 5,000,000 a month
- **Pro**: 1,500 a window, 5,000,000 a month

The month is used by answers that carry data alone: a 304, 400, 404 or 422 and every \`HEAD\` count in the window, a 401 or 429 in neither. Every authenticated answer says where you stand:

- \`RateLimit-Policy: "window";q=600;w=60, "month";q=10000\`: what is allowed
- \`RateLimit: "window";r=599;t=60, "month";r=9999;t=864000\`: what remains (\`r\`), and seconds until it is whole again (\`t\`)

When the window is full, wait for \`retry_after\` seconds (also in \`Retry-After\`). When the month is, the body has \`resets_at\` and there is no \`Retry-After\`, since clients sleep on it.

## Errors

Every error body has \`error\`, a sentence to act on, \`code\`, which is stable and for programs, and \`request_id\`. A 422 has the \`code\` \`validation\`, its first fault in \`error\`, and every parameter that has a bad value in \`detail\`, each with a stable \`type\`. A parameter that is not known is ignored; one that is known is never.

401, 402, 403 and 429 come before 400 and 422. An unknown path is 404, another method 405 with \`Allow\`.

${Object.entries(ERRORS)
  .map(([code, [status, words]]) => `- \`${code}\` (${status}): ${words}`)
  .join('\n')}

## Lists and filters

Filters are case-blind and take well-known short names (\`BTC\`, \`ETH\`, \`CPI\`, \`FOMC\`). A parameter that is a list may be comma-separated, repeated, or both.

To read a whole list, ask for a page and send its \`next_cursor\` back as \`cursor\` until it is null. Such a walk sees the order and the rows of the snapshot in which it began, whatever the sort, while every row is shown as it is now. A cursor is opaque and works for at least two minutes after the first page; then it is a 422 whose \`detail[0].type\` is \`cursor.expired\`: begin again without it.

## Snapshot and ETag

The snapshot moves in steps of five seconds, 120 seconds behind. Within a step the same request gives the same bytes. \`X-As-Of\` is the moment whose prices you see, \`Cache-Control: max-age\` the seconds to the next step.

Send the \`ETag\` back in \`If-None-Match\`: where nothing has changed the answer is 304 without a body, which uses none of the month. \`*\` stands for any version. \`HEAD\` answers with the headers of \`GET\`, its \`Content-Length\` among them. Long lists come gzipped to whoever sends \`Accept-Encoding: gzip\`.

Times are UTC in ISO 8601, prices USD for a contract that pays $1, gaps points (cents of that dollar). Answers may gain fields; clients should let pass what they do not know. Text that came from a venue (titles, names, rule texts) is to be shown as text, never as markup.
`;
