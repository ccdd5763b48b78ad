// The main module of a function's worker: imports the function (FUNCTION_ENTRYPOINT, a file URL)
// and serves it at DENO_SERVE_ADDRESS. It supports both forms of the platform: `export default {
// fetch }`, and a function that calls Deno.serve.

import './preload.ts';
import { toLogText } from '../user_error.ts';
import { denoRuntime } from './runtime.ts';

type FunctionModule = { default?: { fetch?: (request: Request) => Response | Promise<Response> } };

const deno = denoRuntime();
const entrypoint = deno.env.get('FUNCTION_ENTRYPOINT');
if (!entrypoint) throw new Error('FUNCTION_ENTRYPOINT is missing from the environment.');
const { default: exported }: FunctionModule = await import(entrypoint);

if (exported?.fetch) {
  const handler = exported.fetch.bind(exported);
  deno.serve(
    {
      onListen: () => {},
      onError(error) {
        const id = crypto.randomUUID();
        console.error(`Request ${id} failed: ${toLogText(error)}`);
        const body = { error: 'The function failed. See its log.', code: 'internal', request_id: id };
        return Response.json(body, { status: 500, headers: { 'x-request-id': id } });
      },
    },
    handler,
  );
}
