// The part of Deno that our two files use. tsc checks local/ with Node's types, which do not
// include Deno.

type Handler = (request: Request) => Response | Promise<Response>;

type Serve = (options: ServeOptions | Handler, handler?: Handler) => unknown;
type ServeOptions = { path?: string; onListen?: () => void; onError?: (error: unknown) => Response };

export type DenoRuntime = {
  env: { get(name: string): string | undefined; set(name: string, value: string): void };
  stdin: { readable: ReadableStream<Uint8Array> };
  exit(code: number): never;
  addSignalListener(signal: 'SIGTERM', listener: () => void): void;
  serve: Serve;
};

export function denoRuntime(): DenoRuntime {
  const { Deno } = globalThis as unknown as { Deno?: DenoRuntime };
  if (!Deno) throw new Error('This file runs in Deno only.');
  return Deno;
}
