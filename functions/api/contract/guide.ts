import { ERRORS } from '../http/errors.ts';

/**
 * The chapters before the endpoints, in Markdown: headings of the second level, paragraphs, lists
 * and `code`.
 */
export const GUIDE = `Parallax matches the same real-world questions on two prediction-market venues, \`venue_a\` and \`venue_b\`. It prices both sides from their live order books and states how the two contracts may settle differently.

Prices are a snapshot about two minutes old on every tier: good for research, not for execution.

## Authentication

Every path except \`/health\`, \`/openapi.json\`, \`/v2/sample\` and \`/v2/track-record\` needs an API key:

\`Authorization: Bearer sk_live_…\`

A key has 55 characters. The dashboard displays it once, when you create it. Its last six characters are a checksum, so a key that was not copied completely is rejected before any query. A missing, malformed or revoked key is a 401, and its \`code\` names the reason.

Any origin may call the API from a browser. Every reader of a page can also read a key in it.

## Limits

Two limits apply per organization, over all its keys: a window of 60 seconds, which starts with the first request after the last window ended, and the calendar month in UTC. There is no limit per second.

- **Free**: 600 per window, 10,000 per month
- **Basic**: 600 per window, 1,000,000 per month
- **Premium**: 1,500 per window, 5,000,000 per month
- **Pro**: 1,500 per window, 5,000,000 per month

Only responses with data count in the month. A 304, 400, 404 or 422 and every \`HEAD\` count in the window only. A 401 or 429 counts in neither. Every authenticated response has two headers:

- \`RateLimit-Policy: "window";q=600;w=60, "month";q=10000\`: the limits
- \`RateLimit: "window";r=599;t=60, "month";r=9999;t=864000\`: the remaining requests (\`r\`), and the seconds until the reset (\`t\`)

When the window is full, wait for \`retry_after\` seconds (also in \`Retry-After\`). When the month is full, the body has \`resets_at\`. There is no \`Retry-After\` then, because clients sleep for it.

## Errors

Every error body has \`error\`, a sentence with the next step, \`code\`, which is stable and for programs, and \`request_id\`. A 422 has the \`code\` \`validation\`, the first problem in \`error\`, and every invalid parameter in \`detail\`, each with a stable \`type\`. Unknown parameters are ignored. Known parameters are always validated.

401, 402, 403 and 429 come before 400 and 422. An unknown path is 404. Another method is 405 with \`Allow\`.

${Object.entries(ERRORS)
  .map(([code, [status, sentence]]) => `- \`${code}\` (${status}): ${sentence}`)
  .join('\n')}

## Lists and filters

Filters ignore case and accept well-known short names (\`BTC\`, \`ETH\`, \`CPI\`, \`FOMC\`). A list parameter may be comma-separated, repeated, or both.

To read a whole list, request a page and send its \`next_cursor\` back as \`cursor\` until it is null. The pages have the order and the rows of the snapshot of the first page, with any sort. Each row has its current state. A cursor is opaque and works for at least two minutes after the first page. After that it is a 422 whose \`detail[0].type\` is \`cursor.expired\`: start again without it.

## Snapshot and ETag

The snapshot moves in steps of five seconds, 120 seconds behind market time. Within a step the same request returns the same bytes. \`X-As-Of\` is the time of the prices. \`Cache-Control: max-age\` is the number of seconds to the next step.

Send the \`ETag\` back in \`If-None-Match\`. If nothing has changed, the response is a 304 without a body, which does not count in the month. \`*\` matches any version. \`HEAD\` returns the headers of \`GET\`, including \`Content-Length\`. Long lists are gzipped for clients that send \`Accept-Encoding: gzip\`.

Times are UTC in ISO 8601, prices are USD for a contract that pays $1, and gaps are points (cents of that dollar). Responses may gain fields: ignore fields that you do not know. Titles, names and rule texts come from the venues: display them as text, never as markup.
`;
