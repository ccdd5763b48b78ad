import WebSocket from 'ws';
import { waitUntil } from '../../support/wait_until.ts';

/** A socket without the SDK: what it got, and how it ended. */
export type Raw = {
  socket: WebSocket;
  /** One a line. */
  got: string[];
  end: { code: number; reason: string } | undefined;
  send(...commands: unknown[]): void;
  /** The reply to a command. */
  reply(id: number): Promise<Record<string, unknown>>;
  /** Resolves when it has ended. */
  over(): Promise<{ code: number; reason: string }>;
};

export async function rawOf(url: string): Promise<Raw> {
  const socket = new WebSocket(url, { perMessageDeflate: false });
  const got: string[] = [];
  const raw: Raw = {
    socket,
    got,
    end: undefined,
    send: (...commands) => socket.send(commands.map((command) => JSON.stringify(command)).join('\n')),
    reply: (id) =>
      waitUntil(
        () => {
          const line = got.find((one) => one.startsWith(`{"id":${id},`));
          if (!line && raw.end) throw new Error(`ended with ${raw.end.code} ${raw.end.reason}`);
          return line === undefined ? undefined : JSON.parse(line);
        },
        { what: `reply ${id}` },
      ),
    over: () => waitUntil(() => raw.end, { what: 'the end' }),
  };
  socket.on('message', (text) => got.push(...String(text).split('\n')));
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
