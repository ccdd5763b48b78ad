import { resolveAddresses } from '../_shared/dns.ts';
import type { ReceiverStream } from './http_request.ts';
import type { Network } from './sender.ts';

/**
 * Part of the time of an attempt. A DNS server that does not answer for one address family leaves
 * time for the addresses of the other.
 */
const DNS_MS = 2_000;

/** The network of Deno. `ca`: PEM of a CA that is trusted in addition to the public ones. */
export function denoNetwork(ca: string | null): Network {
  return {
    resolve: (name) => resolveAddresses((query, type) => Deno.resolveDns(query, type), name, DNS_MS),
    async open(address, port, host): Promise<ReceiverStream> {
      const plain = await Deno.connect({ hostname: address, port });
      try {
        const stream = await Deno.startTls(plain, { hostname: host, ...(ca === null ? {} : { caCerts: [ca] }) });
        // Deno shakes hands with the first byte. An explicit handshake separates a bad certificate
        // from a lost connection.
        await stream.handshake();
        return streamOf(stream);
      } catch (error) {
        closeQuietly(plain);
        throw error;
      }
    },
    openPlain: async (address, port) => streamOf(await Deno.connect({ hostname: address, port })),
  };
}

const streamOf = (connection: Deno.Conn): ReceiverStream => ({
  read: (into) => connection.read(into),
  write: (bytes) => connection.write(bytes),
  close: () => closeQuietly(connection),
});

/** Closes a connection that may be closed already. */
function closeQuietly(connection: { close(): void }): void {
  try {
    connection.close();
  } catch {
    // It was closed already.
  }
}
