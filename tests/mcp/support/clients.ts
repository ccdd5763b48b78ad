import { Client as NewClient, StreamableHTTPClientTransport as NewTransport } from '@modelcontextprotocol/client';
import { Client as OldClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as OldTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { ApiFixture } from '../../api/support/fixture.ts';
import { mcpPath, type ToolResult } from './post.ts';

/** The functions of a client that the tests use, the same for each package. */
export type Agent = {
  revision(): string | undefined;
  listTools(): Promise<{
    tools: { name: string; title?: string; description?: string; inputSchema: unknown; outputSchema?: unknown }[];
  }>;
  callTool(name: string, args: Record<string, unknown>, onprogress?: (progress: Progress) => void): Promise<ToolResult>;
  listResources(): Promise<{ resources: { uri: string }[] }>;
  readResource(uri: string): Promise<{ contents: { uri: string; text?: string }[] }>;
  listPrompts(): Promise<{ prompts: { name: string }[] }>;
  getPrompt(name: string, args: Record<string, string>): Promise<{ messages: { content: unknown }[] }>;
  instructions(): string | undefined;
  close(): Promise<void>;
};
export type Progress = { progress: number; total?: number | undefined; message?: string | undefined };

const CLIENT_INFO = { name: 'parallax-tests', version: '1.0.0' };
const addressOf = (world: ApiFixture) => new URL(world.api.base + mcpPath);

/**
 * The official client for revisions before 2026-07-28. Its callTool validates results against the
 * output schema.
 */
export async function oldAgent(world: ApiFixture, headers: Record<string, string>): Promise<Agent> {
  const client = new OldClient(CLIENT_INFO);
  const transport = new OldTransport(addressOf(world), { requestInit: { headers } });
  await client.connect(transport as never);
  return {
    revision: () => transport.protocolVersion,
    listTools: () => client.listTools(),
    callTool: async (name, args, onprogress) =>
      (await client.callTool({ name, arguments: args }, undefined, onprogress ? { onprogress } : {})) as ToolResult,
    listResources: () => client.listResources(),
    readResource: async (uri) => (await client.readResource({ uri })) as never,
    listPrompts: () => client.listPrompts(),
    getPrompt: (name, args) => client.getPrompt({ name, arguments: args }),
    instructions: () => client.getInstructions(),
    close: () => client.close(),
  };
}

/**
 * The official client of the successor package, with the handshake of 2025 or without one as in
 * 2026-07-28.
 */
export async function newAgent(
  world: ApiFixture,
  headers: Record<string, string>,
  mode: 'legacy' | 'auto' | { pin: string },
  supportedProtocolVersions?: string[],
): Promise<Agent> {
  const known = supportedProtocolVersions ? { supportedProtocolVersions } : {};
  const client = new NewClient(CLIENT_INFO, { versionNegotiation: { mode }, ...known });
  await client.connect(new NewTransport(addressOf(world), { requestInit: { headers } }));
  return {
    revision: () => client.getNegotiatedProtocolVersion(),
    listTools: () => client.listTools() as never,
    callTool: async (name, args, onprogress) =>
      (await client.callTool({ name, arguments: args }, onprogress ? { onprogress } : {})) as ToolResult,
    listResources: () => client.listResources(),
    readResource: async (uri) => (await client.readResource({ uri })) as never,
    listPrompts: () => client.listPrompts(),
    getPrompt: (name, args) => client.getPrompt({ name, arguments: args }),
    instructions: () => client.getInstructions(),
    close: () => client.close(),
  };
}
