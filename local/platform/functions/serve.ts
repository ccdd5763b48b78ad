// The main module of a function's worker: imports the function (FUNCTION_ENTRYPOINT, a file URL) and serves it at
// DENO_SERVE_ADDRESS. Both ways that the platform knows work: `export default { fetch }` and a Deno.serve of its own.

import { toLogText } from '../user_error.ts';
import { denoRuntime } from './runtime.ts';

type FunctionModule = { default?: { fetch?: (request: Request) => Response | Promise<Response> } };

const deno = denoRuntime();
const entrypoint = deno.env.get('FUNCTION_ENTRYPOINT');
if (!entrypoint) throw new Error('FUNCTION_ENTRYPOINT is not set');
const { default: exported }: FunctionModule = await import(entrypoint);

if (exported?.fetch) {
  const handler = exported.fetch.bind(exported);
  deno.serve(
    {
      onListen: () => {},
      onError(error) {
        const id = crypto.randomUUID();
        console.error(`request ${id} failed: ${toLogText(error)}`);
        const body = { error: 'The function failed; its log says why.', code: 'internal', request_id: id };
        return Response.json(body, { status: 500, headers: { 'x-request-id': id } });
      },
    },
    handler,
  );
}
