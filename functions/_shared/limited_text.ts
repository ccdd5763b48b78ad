import { type JsonFault, type JsonLimits, JsonScan } from './json_limits.ts';

export type TextLimits = {
  /** Bytes after decompression. */
  maxBytes: number;
  /** The limits of the text as JSON; absent: none. */
  json?: JsonLimits;
  /** Throws a TypeError for invalid UTF-8, which otherwise becomes U+FFFD. */
  fatal?: boolean;
};

/** What a body is over. */
export type BodyFault = JsonFault | 'too_large';

/** A body is over the limits of its reader. */
export class BodyOverLimit extends Error {
  readonly fault: BodyFault;
  constructor(fault: BodyFault) {
    super(`The body is ${fault}.`);
    this.name = 'BodyOverLimit';
    this.fault = fault;
  }
}

/**
 * Reads the body of a request or of a response as UTF-8. At the part that exceeds a limit it stops
 * and cancels the body, which closes the connection.
 * @throws BodyOverLimit; without reading when Content-Length is above the limit
 */
export async function readLimitedText(
  message: Pick<Request, 'body' | 'headers'>,
  { maxBytes, json, fatal = false }: TextLimits,
): Promise<string> {
  if (Number(message.headers.get('Content-Length') ?? 0) > maxBytes) {
    await message.body?.cancel().catch(() => {});
    throw new BodyOverLimit('too_large');
  }
  if (!message.body) return '';
  const decoder = new TextDecoder('utf-8', { fatal });
  const scan = json && new JsonScan(json);
  const reader = message.body.getReader();
  let text = '';
  let length = 0;
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return text + decoder.decode();
      length += value.byteLength;
      if (length > maxBytes) throw new BodyOverLimit('too_large');
      const part = decoder.decode(value, { stream: true });
      const fault = scan?.add(part);
      if (fault) throw new BodyOverLimit(fault);
      text += part;
    }
  } catch (error) {
    // Not awaited: a Deno with an inspector cancels only after the last part.
    void reader.cancel().catch(() => {});
    throw error;
  }
}
