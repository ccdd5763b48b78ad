import { addressesOf } from '../_shared/dns.ts';
import type { Wire } from './http_request.ts';
import type { Network } from './sender.ts';

/** A part of what an attempt has: a DNS that is silent for one family leaves time for the addresses of the other. */
const DNS_MS = 2_000;

/** The network as Deno has it. `ca`: PEM of a CA that is trusted beside the public ones. */
export function denoNetwork(ca: string | null): Network {
  return {
    resolve: (name) => addressesOf((asked, type) => Deno.resolveDns(asked, type), name, DNS_MS),
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
