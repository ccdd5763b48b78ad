// The main module of a worker that serves one call and no more. It waits, started and empty, for a line on its standard input: the function
// to be (a file URL). Only then is anything of it loaded, since functions count their time from there. The second line says that the call
// was answered: the worker stays until its background work is over, as the platform's does.
import { settled } from '../functions/preload.ts';
import { denoRuntime } from '../functions/runtime.ts';

const deno = denoRuntime();
const input = deno.stdin.readable.getReader();

/** The next piece of the input, which is one line; undefined at its end. */
async function line(): Promise<string | undefined> {
  const { value } = await input.read();
  return value && new TextDecoder().decode(value).trim();
}

const entrypoint = await line();
if (entrypoint) {
  deno.env.set('FUNCTION_ENTRYPOINT', entrypoint);
  await import('../functions/serve.ts');
  await line();
  await settled();
}
deno.exit(0);
