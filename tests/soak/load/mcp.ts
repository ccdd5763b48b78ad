import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { pause } from '../../support/wait_until.ts';
import type { Ledger } from '../check/counts.ts';
import type { Findings } from '../findings.ts';
import { pickOne } from '../random.ts';
import type { ResponseLog } from './response_log.ts';

const TOOL_CALLS: readonly [tool: string, args: Record<string, unknown>][] = [
  ['list_markets', { limit: 5 }],
  ['find_arbitrage', {}],
  ['list_categories', {}],
  ['get_spreads', {}],
  ['find_markets', { q: 'a' }],
];

/**
 * An agent with the official client. It calls one tool after another and reconnects after an error.
 */
export class McpCaller {
  readonly ledger: Ledger;
  calls = 0;
  readonly #options: { base: string; key: string; random: () => number; responses: ResponseLog; findings: Findings };

  constructor(options: {
    base: string;
    org: string;
    key: string;
    random: () => number;
    responses: ResponseLog;
    findings: Findings;
  }) {
    this.#options = options;
    this.ledger = { org: options.org, counted: [], unknown: 0 };
  }

  async run(signal: AbortSignal): Promise<void> {
    const { base, key, random, responses, findings } = this.#options;
    let client: Client | undefined;
    while (!signal.aborted) {
      const [tool, args] = pickOne(TOOL_CALLS, random);
      const startedAt = Date.now();
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
          // The tool itself returns 503 when the database is not reachable.
          this.ledger.unknown += 1;
          const isExpected = /^(admission|database|rate)[.]/.test(code);
          findings.add(
            'MCP tools answer',
            1,
            isExpected ? [] : [`${tool}: ${code} ${result.content[0]?.text?.slice(0, 200)}`],
          );
        } else {
          this.ledger.counted.push(Date.now());
          findings.addChecks('MCP tools answer');
        }
        responses.record(`MCP ${tool}`, startedAt, result.isError ? 503 : 200);
      } catch (error) {
        this.ledger.unknown += 1;
        // The client reports an HTTP error only as text. Without a status there was no HTTP answer.
        const text = error instanceof Error ? error.message : String(error);
        const [, status] = /\b(5\d\d)\b/.exec(text) ?? [];
        responses.record(
          `MCP ${tool}: ${text.slice(0, 160)}`,
          startedAt,
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
