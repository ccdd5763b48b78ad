import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { collectOutput } from '../platform/child_output.ts';
import { supabaseCommand } from '../platform/postgres/binaries.ts';
import { quietTools } from '../platform/postgres/build.ts';

/** One request of the CLI to the management API. */
export type ApiRequest = { method: string; url: URL; body: Buffer; type: string };

/** A project ref of the right form, for commands that are not about one project. */
export const ANY_PROJECT_REF = 'a'.repeat(20);

/**
 * Runs the real Supabase CLI against a stub of the management API on loopback. Nothing leaves the
 * machine: the CLI gets its own home folder, a project folder that `prepare` fills, and an invalid
 * token. `answer` returns the body of the response, as a value for JSON.
 */
export async function runSupabase(options: {
  args: readonly string[];
  projectRef: string;
  prepare(project: string): void;
  answer(request: ApiRequest): Promise<unknown> | unknown;
}): Promise<{ status: number | null; output: string }> {
  const server = createServer((request, response) => void respond(request, response, options.answer));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const home = mkdtempSync(join(tmpdir(), 'parallax-deploy-'));
  try {
    const { port } = server.address() as AddressInfo;
    const project = join(home, 'project');
    mkdirSync(join(project, 'supabase'), { recursive: true });
    options.prepare(project);
    return await supabase(options.args, options.projectRef, home, `http://127.0.0.1:${port}`);
  } finally {
    server.closeAllConnections();
    server.close();
    rmSync(home, { recursive: true, force: true });
  }
}

async function supabase(args: readonly string[], projectRef: string, home: string, api: string) {
  const profile = join(home, 'profile.yaml');
  const project = join(home, 'project');
  writeFileSync(profile, `name: standin\napi_url: ${api}\ndashboard_url: ${api}\nproject_host: example.invalid\n`);
  const [program, ...first] = supabaseCommand();
  const child = spawn(
    program,
    [...first, ...args, '--project-ref', projectRef, '--profile', profile, '--agent', 'no', '--workdir', project],
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

async function respond(
  request: IncomingMessage,
  response: ServerResponse,
  answer: (request: ApiRequest) => Promise<unknown> | unknown,
): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const method = request.method ?? 'GET';
  const url = new URL(request.url ?? '/', 'http://stand-in');
  const body = await answer({ method, url, body: Buffer.concat(chunks), type: request.headers['content-type'] ?? '' });
  response.setHeader('content-type', 'application/json');
  response.statusCode = method === 'POST' ? 201 : 200;
  response.end(JSON.stringify(body));
}
