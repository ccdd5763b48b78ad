import { spawn } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { collectOutput } from '../platform/child_output.ts';
import { supabaseCommand } from '../platform/postgres/binaries.ts';
import { quietTools } from '../platform/postgres/build.ts';
import { UserError } from '../platform/user_error.ts';

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
 * the management API on loopback, and returns the uploads. Nothing leaves the machine, and nothing
 * is written in `folder`: the CLI gets its own home folder, a copy of the project and an invalid
 * token.
 */
export async function uploads(folder: string): Promise<Upload[]> {
  const found: Upload[] = [];
  const server = createServer((request, response) => void answer(request, response, found));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const home = mkdtempSync(join(tmpdir(), 'parallax-deploy-'));
  try {
    const { port } = server.address() as AddressInfo;
    const { status, output } = await deploy(workdir(folder, home), home, `http://127.0.0.1:${port}`);
    if (status !== 0)
      throw new UserError(`supabase functions deploy failed: ${output.trim().split('\n').at(-1) ?? ''}`);
    return found.sort((a, b) => (a.name < b.name ? -1 : 1));
  } finally {
    server.closeAllConnections();
    server.close();
    rmSync(home, { recursive: true, force: true });
  }
}

/**
 * A folder with copies of config.toml and functions/ for the CLI, which writes to supabase/.temp.
 */
function workdir(folder: string, home: string): string {
  const own = join(home, 'project');
  mkdirSync(join(own, 'supabase'), { recursive: true });
  // Copies instead of links: the CLI silently omits files outside of the project, and a link leads
  // outside.
  cpSync(join(folder, 'supabase', 'config.toml'), join(own, 'supabase', 'config.toml'));
  cpSync(join(folder, 'functions'), join(own, 'functions'), { recursive: true });
  return own;
}

async function deploy(project: string, home: string, api: string): Promise<{ status: number | null; output: string }> {
  const profile = join(home, 'profile.yaml');
  writeFileSync(profile, `name: standin\napi_url: ${api}\ndashboard_url: ${api}\nproject_host: example.invalid\n`);
  const [program, ...first] = supabaseCommand();
  const child = spawn(
    program,
    [
      ...first,
      ...['functions', 'deploy', '--use-api', '--project-ref', 'a'.repeat(20), '--profile', profile],
      ...['--agent', 'no', '--workdir', project],
    ],
    {
      cwd: project,
      env: {
        PATH: process.env.PATH ?? '',
        ...quietTools,
        NO_COLOR: '1',
        CI: '1',
        HOME: home,
        SUPABASE_ACCESS_TOKEN: `sbp_${'0'.repeat(40)}`,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
      timeout: 120_000,
    },
  );
  return collectOutput(child);
}

async function answer(request: IncomingMessage, response: ServerResponse, found: Upload[]): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const body = Buffer.concat(chunks);
  const url = new URL(request.url ?? '/', 'http://stand-in');
  response.setHeader('content-type', 'application/json');
  if (request.method === 'POST' && url.pathname.endsWith('/functions/deploy')) {
    const upload = await read(url.searchParams.get('slug') ?? '', body, request.headers['content-type'] ?? '');
    found.push(upload);
    response.statusCode = 201;
    const { name, verifyJwt, entrypoint } = upload;
    const at = { created_at: 1, updated_at: 1, version: 1, status: 'ACTIVE', import_map: true };
    response.end(
      JSON.stringify({ id: name, slug: name, name, verify_jwt: verifyJwt, entrypoint_path: entrypoint, ...at }),
    );
    return;
  }
  response.end(url.pathname.endsWith('/functions') ? '[]' : '{}');
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
