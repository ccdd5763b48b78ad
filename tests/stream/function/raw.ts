import WebSocket from 'ws';
import { waitUntil } from '../../support/wait_until.ts';

/** A connection without the SDK, with the lines that it received and its close code. */
export type RawConnection = {
  socket: WebSocket;
  /** The received messages, one a line. */
  lines: string[];
  end: { code: number; reason: string } | undefined;
  send(...commands: unknown[]): void;
  /** The reply to a command. */
  reply(id: number): Promise<Record<string, unknown>>;
  /** Resolves with the code and the reason when the connection closes. */
  untilClosed(): Promise<{ code: number; reason: string }>;
};

export async function openRawConnection(url: string): Promise<RawConnection> {
  const socket = new WebSocket(url, { perMessageDeflate: false });
  const lines: string[] = [];
  const raw: RawConnection = {
    socket,
    lines,
    end: undefined,
    send: (...commands) => socket.send(commands.map((command) => JSON.stringify(command)).join('\n')),
    reply: (id) =>
      waitUntil(
        () => {
          const line = lines.find((one) => one.startsWith(`{"id":${id},`));
          if (!line && raw.end) throw new Error(`ended with ${raw.end.code} ${raw.end.reason}`);
          return line === undefined ? undefined : JSON.parse(line);
        },
        { what: `reply ${id}` },
      ),
    untilClosed: () => waitUntil(() => raw.end, { what: 'the end' }),
  };
  socket.on('message', (text) => lines.push(...String(text).split('\n')));
  socket.on('close', (code, reason) => {
    raw.end = { code, reason: String(reason) };
  });
  socket.on('error', () => {});
  await new Promise<void>((resolve, reject) => {
    socket.once('open', resolve);
    socket.once('error', reject);
  });
  return raw;
}
