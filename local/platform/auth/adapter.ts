import type { IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import type { ReadableStream as NodeStream } from 'node:stream/web';
import { errorText, toLogText } from '../user_error.ts';

/** Answers a request of node:http with a handler for the Request and Response of fetch. */
export async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  handler: (request: Request) => Promise<Response>,
): Promise<void> {
  try {
    const result = await handler(toRequest(request));
    const headers: Record<string, string | string[]> = Object.fromEntries(result.headers);
    const cookies = result.headers.getSetCookie();
    if (cookies.length > 0) headers['set-cookie'] = cookies;
    response.writeHead(result.status, headers);
    if (!result.body || request.method === 'HEAD') response.end();
    else
      Readable.fromWeb(result.body as NodeStream)
        .on('error', () => response.destroy())
        .pipe(response);
  } catch (error) {
    console.error(toLogText(error));
    if (response.headersSent) return void response.destroy();
    const refused = error instanceof TypeError && errorText(error).includes('Invalid URL');
    response.writeHead(refused ? 400 : 500, { 'content-type': 'application/json' });
    response.end(
      JSON.stringify({ error: 'The request could not be answered.', code: refused ? 'request.malformed' : 'internal' }),
    );
  }
}

function toRequest(request: IncomingMessage): Request {
  const headers = new Headers();
  for (let index = 0; index + 1 < request.rawHeaders.length; index += 2) {
    headers.append(request.rawHeaders[index] ?? '', request.rawHeaders[index + 1] ?? '');
  }
  const method = request.method ?? 'GET';
  const body = method === 'GET' || method === 'HEAD' ? undefined : (Readable.toWeb(request) as ReadableStream);
  const host = request.headers.host ?? '127.0.0.1';
  return new Request(new URL(request.url ?? '/', `http://${host}`), {
    method,
    headers,
    ...(body ? { body, duplex: 'half' } : {}),
  } as RequestInit);
}
