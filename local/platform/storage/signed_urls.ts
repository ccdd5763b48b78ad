const PREFIX = '/storage/v1';
const SIGN = new RegExp(`^${PREFIX}/object/sign/([^/]+)(/.+)?$`);

type Handler = (request: Request) => Promise<Response>;
type Answer = { signedUrl?: string; message?: string };

/**
 * Signs addresses as Storage does, by lite. lite 0.10.0 names the address `signedUrl` instead of
 * `signedURL` and writes its whole path, and takes a request for several paths for one without a
 * path.
 */
export async function withSignedUrls(request: Request, lite: Handler): Promise<Response> {
  const { pathname } = new URL(request.url);
  const found = request.method === 'POST' ? SIGN.exec(pathname) : null;
  if (!found) return lite(request);
  const body = (await request.json().catch(() => ({}))) as { expiresIn?: unknown; paths?: unknown };
  const sign = (path: string) =>
    lite(
      new Request(new URL(`${pathname}${path}`, request.url), {
        method: 'POST',
        headers: { ...Object.fromEntries(request.headers), 'content-type': 'application/json' },
        body: JSON.stringify({ expiresIn: body.expiresIn }),
      }),
    );
  if (found[2] !== undefined) {
    const response = await sign('');
    if (!response.ok) return response;
    return Response.json({ signedURL: belowPrefix((await response.json()) as Answer) });
  }
  const paths = Array.isArray(body.paths) ? body.paths.map(String) : [];
  const signed = await Promise.all(
    paths.map(async (path) => {
      const response = await sign(`/${path}`);
      const answer = (await response.json()) as Answer;
      return { path, error: response.ok ? null : (answer.message ?? ''), signedURL: belowPrefix(answer) };
    }),
  );
  return Response.json(signed);
}

const belowPrefix = ({ signedUrl }: Answer): string | null =>
  signedUrl?.startsWith(PREFIX) ? signedUrl.slice(PREFIX.length) : null;
