import type { JsonSchema } from '../contract/json_schema.ts';
import type { TOOLSETS } from '../vocabulary.ts';
import type { Arguments, InputSchema } from './arguments.ts';
import type { McpRequest } from './request.ts';
import type { ToolError } from './tool_error.ts';

/** Result of a tool: the response body of REST with a short text, or the error. */
export type ToolResult =
  | { structuredContent: Record<string, unknown>; text: string; error?: undefined }
  | { structuredContent?: undefined; error: ToolError };

/** The request that called a tool. */
export type ToolCall = {
  mcpRequest: McpRequest;
  /** Aborted when the caller disconnects. */
  signal: AbortSignal;
  /** Sends a progress notification, if the caller requested progress. */
  progress(done: number, total: number, message: string): Promise<void>;
};

export type Tool = {
  name: string;
  /** The group that a client can choose in the address of the server. */
  toolset: (typeof TOOLSETS)[number];
  title: string;
  /** What the tool returns, when to use it, and when to use another. */
  description: string;
  annotations: {
    readOnlyHint: boolean;
    destructiveHint?: boolean;
    idempotentHint?: boolean;
    openWorldHint: boolean;
  };
  inputSchema: InputSchema;
  outputSchema: JsonSchema;
  run(given: Arguments, call: ToolCall): Promise<ToolResult>;
};

/**
 * A tool that only reads. `openWorldHint`: the text that it returns was written by users of the
 * venues.
 */
export const READ_ONLY_HINTS = {
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: true,
} as const;
