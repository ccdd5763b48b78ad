// The baseline: a Deno server with a loop. It sends the texts of each POST / (a JSON array) to all
// WebSocket clients.

type Deno = {
  serve(
    options: { port: number; onListen(): void },
    handler: (request: Request) => Response | Promise<Response>,
  ): unknown;
  upgradeWebSocket(request: Request, options: { idleTimeout: number }): { socket: WebSocket; response: Response };
  args: string[];
};
const { Deno: deno } = globalThis as unknown as { Deno: Deno };

const sockets = new Set<WebSocket>();

deno.serve({ port: Number(deno.args[0]), onListen: () => {} }, async (request) => {
  if (request.method === 'POST') {
    const texts: string[] = await request.json();
    for (const text of texts) for (const socket of sockets) socket.send(text);
    return new Response();
  }
  if (!request.headers.has('upgrade')) return new Response();
  const { socket, response } = deno.upgradeWebSocket(request, { idleTimeout: 0 });
  socket.onopen = () => sockets.add(socket);
  return response;
});
