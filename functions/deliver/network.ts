import type { Wire } from './exchange.ts';
import type { Network } from './sender.ts';

/** The network as Deno has it. `ca`: PEM of a CA that is trusted beside the public ones. */
export function denoNetwork(ca: string | null): Network {
  return {
    async resolve(name) {
      // Asked of the DNS alone: what a hosts file of the machine says is no public address.
      const found = await Promise.allSettled([Deno.resolveDns(name, 'A'), Deno.resolveDns(name, 'AAAA')]);
      const [a, aaaa] = found;
      if (a?.status === 'rejected' && aaaa?.status === 'rejected') {
        if (a.reason instanceof Deno.errors.NotFound) return [];
        throw a.reason;
      }
      return found.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
    },
    async open(address, port, host): Promise<Wire> {
      const plain = await Deno.connect({ hostname: address, port });
      try {
        const wire = await Deno.startTls(plain, { hostname: host, ...(ca === null ? {} : { caCerts: [ca] }) });
        // Deno shakes hands with the first byte: here, so that a bad certificate is told apart from a lost connection.
        await wire.handshake();
        return { read: (into) => wire.read(into), write: (bytes) => wire.write(bytes), close: () => quietly(wire) };
      } catch (error) {
        quietly(plain);
        throw error;
      }
    },
  };
}

/** Closes what may be closed already. */
function quietly(connection: { close(): void }): void {
  try {
    connection.close();
  } catch {
    // It is.
  }
}
