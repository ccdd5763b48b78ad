// The main module of a worker that serves exactly one call. It is started without a function and
// reads lines from its standard input. The first line is JSON: the function's file URL and its
// environment. The function is loaded only then, because its limits count from there. `near REASON`
// reports that a limit is near, like the platform's `beforeunload`. After `answered`, the worker
// stays until its background work is done, as on the platform.
import { dispatchBeforeUnload, pendingWorkSettled, type UnloadReason } from '../functions/preload.ts';
import { denoRuntime } from '../functions/runtime.ts';

const deno = denoRuntime();

async function* linesOf(input: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const bytes of input) {
    const parts = (rest + decoder.decode(bytes, { stream: true })).split('\n');
    rest = parts.pop() ?? '';
    yield* parts;
  }
}

const lines = linesOf(deno.stdin.readable);
const { value: first } = await lines.next();
if (first) {
  const { entrypoint, env } = JSON.parse(first) as { entrypoint: string; env: Record<string, string> };
  for (const [name, value] of Object.entries({ ...env, FUNCTION_ENTRYPOINT: entrypoint })) deno.env.set(name, value);
  await import('../functions/serve.ts');
  for await (const line of lines) {
    if (line.startsWith('near ')) dispatchBeforeUnload(line.slice('near '.length) as UnloadReason);
    else void pendingWorkSettled().then(() => deno.exit(0));
  }
}
deno.exit(0);
