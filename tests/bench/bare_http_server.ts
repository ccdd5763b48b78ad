// The baseline of request leases: Deno.serve that sends the same headers and bytes each time.
// bare_http_server.ts PORT FILE: FILE is the JSON of {headers, body}, the body in base64.

type Deno = {
  serve(options: { port: number; hostname: string; onListen(): void }, handler: () => Response): unknown;
  readTextFileSync(path: string): string;
  args: string[];
};
const { Deno: deno } = globalThis as unknown as { Deno: Deno };

const [port = '0', file = ''] = deno.args;
const answer = JSON.parse(deno.readTextFileSync(file)) as { headers: Record<string, string>; body: string };
const body = Uint8Array.from(atob(answer.body), (character) => character.charCodeAt(0));

deno.serve({ port: Number(port), hostname: '127.0.0.1', onListen: () => {} }, () => {
  return new Response(body, { headers: answer.headers });
});
