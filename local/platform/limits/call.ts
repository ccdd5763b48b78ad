// The main module of a worker that serves one call and no more. It waits, started and empty, for lines on its standard input. The first is the
// function to be (a file URL); only then is anything of it loaded, since functions count their time from there. `near REASON` says that it is near
// a limit, as the platform's `beforeunload` does. `answered`: the worker stays until its background work is over, as the platform's does.
import { pendingWorkSettled, type Reason, warn } from '../functions/preload.ts';
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
const { value: entrypoint } = await lines.next();
if (entrypoint) {
  deno.env.set('FUNCTION_ENTRYPOINT', entrypoint);
  await import('../functions/serve.ts');
  for await (const line of lines) {
    if (line.startsWith('near ')) warn(line.slice('near '.length) as Reason);
    else void pendingWorkSettled().then(() => deno.exit(0));
  }
}
deno.exit(0);
