import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { pause } from '../../support/wait_until.ts';
import type { Ledger } from '../check/counts.ts';
import type { Findings } from '../findings.ts';
import { oneOf } from '../random.ts';
import type { Answers } from './response_log.ts';

const calls: readonly [tool: string, args: Record<string, unknown>][] = [
  ['list_markets', { limit: 5 }],
  ['find_arbitrage', {}],
  ['list_categories', {}],
  ['get_spreads', {}],
  ['find_markets', { q: 'a' }],
];

/** An agent: the official client, one tool after another, connected anew where it lost its server. */
export class McpCaller {
  readonly ledger: Ledger;
  calls = 0;
  readonly #at: { base: string; key: string; random: () => number; answers: Answers; findings: Findings };

  constructor(at: {
    base: string;
    org: string;
    key: string;
    random: () => number;
    answers: Answers;
    findings: Findings;
  }) {
    this.#at = at;
    this.ledger = { org: at.org, counted: [], unknown: 0 };
  }

  async run(ends: AbortSignal): Promise<void> {
    const { base, key, random, answers, findings } = this.#at;
    let client: Client | undefined;
    while (!ends.aborted) {
      const [tool, args] = oneOf(calls, random);
      const began = Date.now();
      try {
        client ??= await connect(base, key);
        const result = (await client.callTool({ name: tool, arguments: args }, { timeout: 20_000 })) as {
          isError?: boolean;
          content: { text?: string }[];
          _meta?: { 'parallax/error'?: { code?: string; status?: number } };
        };
        this.calls += 1;
        if (result.isError) {
          const code =
            result._meta?.['parallax/error']?.code ?? /\[([a-z_.]+)\]/.exec(result.content[0]?.text ?? '')?.[1] ?? '';
          // What the database could not be asked for is the tool's own 503.
          this.ledger.unknown += 1;
          const known = /^(admission|database|rate)[.]/.test(code);
          findings.add(
            'MCP tools answer',
            1,
            known ? [] : [`${tool}: ${code} ${result.content[0]?.text?.slice(0, 200)}`],
          );
        } else {
          this.ledger.counted.push(Date.now());
          findings.looked('MCP tools answer');
        }
        answers.note(`MCP ${tool}`, began, result.isError ? 503 : 200);
      } catch (error) {
        this.ledger.unknown += 1;
        // The client tells of an HTTP error in words alone; what was no HTTP answer is none here either.
        const text = error instanceof Error ? error.message : String(error);
        const [, status] = /\b(5\d\d)\b/.exec(text) ?? [];
        answers.note(
          `MCP ${tool}: ${text.slice(0, 160)}`,
          began,
          Number(status ?? 0),
          /worker\.broken/.exec(text)?.[0],
        );
        await client?.close().catch(() => {});
        client = undefined;
        await pause(500);
      }
      await pause(400 + 600 * random());
    }
    await client?.close().catch(() => {});
  }
}

async function connect(base: string, key: string): Promise<Client> {
  const client = new Client({ name: 'parallax-soak', version: '1.0.0' });
  const headers = { Authorization: `Bearer ${key}` };
  await client.connect(new StreamableHTTPClientTransport(new URL(`${base}/v2/mcp/`), { requestInit: { headers } }));
  return client;
}
