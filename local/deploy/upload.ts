import { cpSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { UserError } from '../platform/user_error.ts';
import { ANY_PROJECT_REF, type ApiRequest, runSupabase } from './management_api.ts';

/** One function as the Supabase CLI uploads it: its metadata and its files by path. */
export type Upload = {
  name: string;
  verifyJwt: boolean;
  entrypoint: string;
  importMap: string;
  bytes: number;
  files: Map<string, Buffer>;
};

/**
 * Runs the real `supabase functions deploy --use-api` for the project in `folder` against a stub of
 * the management API, and returns the uploads. Nothing is written in `folder`.
 */
export async function uploads(folder: string): Promise<Upload[]> {
  const found: Upload[] = [];
  const { status, output } = await runSupabase({
    args: ['functions', 'deploy', '--use-api'],
    projectRef: ANY_PROJECT_REF,
    // Copies instead of links: the CLI silently omits files outside of the project, and a link
    // leads outside.
    prepare: (project) => {
      cpSync(join(folder, 'supabase', 'config.toml'), join(project, 'supabase', 'config.toml'));
      cpSync(join(folder, 'functions'), join(project, 'functions'), { recursive: true });
    },
    answer: (request) => answer(request, found),
  });
  if (status !== 0) throw new UserError(`supabase functions deploy failed: ${output.trim().split('\n').at(-1) ?? ''}`);
  return found.sort((a, b) => (a.name < b.name ? -1 : 1));
}

async function answer({ method, url, body, type }: ApiRequest, found: Upload[]): Promise<unknown> {
  if (method === 'POST' && url.pathname.endsWith('/functions/deploy')) {
    const upload = await read(url.searchParams.get('slug') ?? '', body, type);
    found.push(upload);
    const { name, verifyJwt, entrypoint } = upload;
    const at = { created_at: 1, updated_at: 1, version: 1, status: 'ACTIVE', import_map: true };
    return { id: name, slug: name, name, verify_jwt: verifyJwt, entrypoint_path: entrypoint, ...at };
  }
  return url.pathname.endsWith('/functions') ? [] : {};
}

async function read(name: string, body: Buffer, type: string): Promise<Upload> {
  const form = await new Response(new Uint8Array(body), { headers: { 'content-type': type } }).formData();
  const metadata = JSON.parse(String(form.get('metadata'))) as Record<string, unknown>;
  const files = new Map<string, Buffer>();
  for (const part of form.getAll('file')) {
    if (typeof part !== 'string') files.set(part.name, Buffer.from(await part.arrayBuffer()));
  }
  return {
    name,
    verifyJwt: metadata.verify_jwt !== false,
    entrypoint: String(metadata.entrypoint_path),
    importMap: String(metadata.import_map_path),
    bytes: body.length,
    files,
  };
}

/** Writes the uploaded files below `folder`. */
export function unpack(upload: Upload, folder: string): void {
  for (const [path, content] of upload.files) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), content);
  }
}
