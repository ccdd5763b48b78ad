import { createReadStream, existsSync, realpathSync, statSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { extname, join, sep } from 'node:path';
import { pageHeaders } from '../../../dashboard/headers.ts';
import { sendError } from './responses.ts';

const CONTENT_TYPES: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json',
  '.map': 'application/json',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.jpg': 'image/jpeg',
  '.webp': 'image/webp',
  '.ico': 'image/x-icon',
  '.woff2': 'font/woff2',
  '.txt': 'text/plain; charset=utf-8',
  '.webmanifest': 'application/manifest+json',
};

/**
 * Serves the dashboard from `folder`, or a page with build instructions when it is not built.
 * `notice` is displayed on that page.
 */
export function servePage(request: IncomingMessage, response: ServerResponse, folder: string, notice: string): void {
  if (request.method !== 'GET' && request.method !== 'HEAD') {
    sendError(request, response, { status: 405, code: 'path.method', error: 'Use GET for pages.' });
    return;
  }
  const path = decode(request.url ?? '/');
  if (path === undefined) {
    sendError(request, response, {
      status: 400,
      code: 'path.malformed',
      error: 'The path is not valid percent-encoded UTF-8.',
    });
    return;
  }
  const index = join(folder, 'index.html');
  if (!existsSync(index)) {
    if (path !== '/')
      sendError(request, response, { status: 404, code: 'path.not_found', error: `Nothing is served at ${path}.` });
    else send(request, response, { text: welcomePage(notice) });
    return;
  }
  const file = fileIn(folder, path);
  // A path without extension, such as /keys, is a route of the dashboard, which renders it.
  if (!file && extname(path) !== '') {
    sendError(request, response, { status: 404, code: 'path.not_found', error: `Nothing is served at ${path}.` });
    return;
  }
  send(request, response, { file: file ?? index });
}

/**
 * Serves configuration that pages read when they load, such as the publishable key. It is never
 * cached.
 */
export function serveJson(request: IncomingMessage, response: ServerResponse, value: unknown): void {
  const text = JSON.stringify(value);
  response.writeHead(200, {
    ...pageHeaders,
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(text),
    'cache-control': 'no-cache',
  });
  response.end(request.method === 'HEAD' ? undefined : text);
}

function decode(url: string): string | undefined {
  try {
    const path = decodeURIComponent(url.split('?')[0] ?? '/');
    return path.includes('\0') ? undefined : path;
  } catch {
    return undefined;
  }
}

/**
 * The regular file of a path (index.html for a folder), unless it is outside of `folder` (through
 * .. or a link).
 */
function fileIn(folder: string, path: string): string | undefined {
  const named = join(folder, path);
  const file = existsSync(named) && statSync(named).isDirectory() ? join(named, 'index.html') : named;
  const root = realpathSync(folder);
  if (!existsSync(file) || !statSync(file).isFile()) return undefined;
  return realpathSync(file).startsWith(root + sep) ? file : undefined;
}

function send(request: IncomingMessage, response: ServerResponse, what: { file: string } | { text: string }): void {
  const file = 'file' in what ? what.file : undefined;
  const length = file ? statSync(file).size : Buffer.byteLength('text' in what ? what.text : '');
  response.writeHead(200, {
    ...pageHeaders,
    'content-type': CONTENT_TYPES[file ? extname(file) : '.html'] ?? 'application/octet-stream',
    'content-length': length,
    // Vite puts a hash into the names in assets/. All other files may change with the next build.
    'cache-control': file?.includes(`${sep}assets${sep}`) ? 'public, max-age=31536000, immutable' : 'no-cache',
  });
  if (request.method === 'HEAD') response.end();
  else if (file)
    createReadStream(file)
      .on('error', () => response.destroy())
      .pipe(response);
  else response.end('text' in what ? what.text : '');
}

function htmlText(text: string): string {
  return text.replace(/[&<>"]/g, (letter) => `&#${letter.charCodeAt(0)};`);
}

function welcomePage(notice: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Parallax</title>
<style>
  :root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; }
  body { max-width: 42rem; margin: 3rem auto; padding: 0 1rem; }
  code { font-size: .9em; }
  .notice { border: 1px solid; border-radius: .5rem; padding: .5rem .75rem; }
</style>
</head>
<body>
<h1>Parallax runs</h1>
${notice ? `<p class="notice" role="note">${htmlText(notice)}</p>` : ''}
<p>The API is at <a href="/functions/v1/api/health"><code>/functions/v1/api</code></a>. A key for it: <code>npm run key -- --tier pro</code>.</p>
<p>The dashboard is not built yet: <code>npm run build</code>, then load this page again.</p>
</body>
</html>
`;
}
