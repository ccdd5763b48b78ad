import type { JsonSchema } from '../contract/json_schema.ts';
import type { Arguments, InputSchema } from './arguments.ts';
import type { McpRequest } from './request.ts';
import type { ToolError } from './tool_error.ts';

/** What a tool came to: REST's answer with a short text beside it, or why there is none. */
export type ToolResult =
  | { answer: Record<string, unknown>; text: string; fault?: undefined }
  | { answer?: undefined; fault: ToolError };

/** What a tool may use of the request that called it. */
export type ToolCall = {
  mcpRequest: McpRequest;
  /** Ends when the caller is gone. */
  signal: AbortSignal;
  /** Tells the caller how far it is, where the caller wants to know. */
  progress(done: number, total: number, message: string): Promise<void>;
};

export type Tool = {
  name: string;
  title: string;
  /** What it gives, when to use it and when another. */
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

/** Reads and changes nothing. What it reads was written at the venues by anybody: an open world. */
export const READ_ONLY_HINTS = {
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: true,
} as const;
