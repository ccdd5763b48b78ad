import { EXPORT_BUCKET, type StorageAccess, storageAccessOf } from '../_shared/storage.ts';
import { unavailable } from './http/errors.ts';
import { publicUrlOf } from './public_url.ts';

/** How long a link of an exported file works. */
const LINK_SECONDS = 3_600;
const TIMEOUT_MS = 15_000;
/** Paths of one request, so that Storage signs them in time. */
const MAX_PATHS = 500;

/** `publicUrl`: the address of the platform for clients. */
export type ExportLinks = StorageAccess & { publicUrl: string };

/** From the environment of the function; null where it names no secret key. */
export function exportLinksOf(env: (name: string) => string | undefined): ExportLinks | null {
  const access = storageAccessOf(env);
  const publicUrl = publicUrlOf(env);
  return access && publicUrl ? { ...access, publicUrl } : null;
}

/** The result of api.get_export. `path`: of the file in the bucket. */
type ExportedDay = { files: ({ path: string } & Record<string, unknown>)[] } & Record<string, unknown>;
type Signed = { path?: unknown; signedURL?: unknown };

/**
 * Renders the response of GET /v2/export/{day}: each file with a signed address in place of its
 * path. @throws ApiError 503 where Storage does not sign them
 */
export async function renderExport(body: string, links: ExportLinks | null, nowMs = Date.now()): Promise<string> {
  const { files, ...day } = JSON.parse(body) as ExportedDay;
  const urls = await signedUrls(
    files.map(({ path }) => path),
    links,
  );
  const expires_at = new Date(nowMs + LINK_SECONDS * 1_000).toISOString();
  return JSON.stringify({
    ...day,
    expires_at,
    files: files.map(({ path, ...file }) => ({ ...file, url: urls.get(path) })),
  });
}

async function signedUrls(paths: readonly string[], links: ExportLinks | null): Promise<Map<string, string>> {
  const urls = new Map<string, string>();
  try {
    if (links === null && paths.length > 0) throw new Error('SUPABASE_URL or SUPABASE_SECRET_KEYS is missing');
    for (let from = 0; links !== null && from < paths.length; from += MAX_PATHS) {
      for (const { path, signedURL } of await sign(paths.slice(from, from + MAX_PATHS), links)) {
        if (typeof path !== 'string' || typeof signedURL !== 'string') throw new Error('Storage lacks a file');
        urls.set(path, `${links.publicUrl}/storage/v1${signedURL}`);
      }
    }
    if (paths.some((path) => !urls.has(path))) throw new Error('Storage did not sign every file');
    return urls;
  } catch (error) {
    throw unavailable('storage.unavailable', 5, error);
  }
}

async function sign(paths: readonly string[], { url, secretKey }: ExportLinks): Promise<Signed[]> {
  const response = await fetch(`${url}/object/sign/${EXPORT_BUCKET}`, {
    method: 'POST',
    headers: { apikey: secretKey, 'content-type': 'application/json' },
    body: JSON.stringify({ expiresIn: LINK_SECONDS, paths }),
    redirect: 'error',
    signal: AbortSignal.timeout(TIMEOUT_MS),
  });
  if (!response.ok) throw new Error(`Storage answered ${response.status}: ${(await response.text()).slice(0, 200)}`);
  return (await response.json()) as Signed[];
}
