/** A body has more bytes than its reader accepts. */
export class BodyTooLarge extends Error {
  constructor(maxBytes: number) {
    super(`more than ${maxBytes} bytes`);
    this.name = 'BodyTooLarge';
  }
}

/**
 * Reads the body of a request or of a response as UTF-8, at most `maxBytes`. At the limit it stops
 * and cancels the body, which closes the connection. The bytes are those after decompression.
 *
 * `fatal`: throws a TypeError for invalid UTF-8, which otherwise becomes U+FFFD.
 * @throws BodyTooLarge; without reading when Content-Length is above the limit
 */
export async function readLimitedText(
  message: Pick<Request, 'body' | 'headers'>,
  maxBytes: number,
  fatal = false,
): Promise<string> {
  if (Number(message.headers.get('Content-Length') ?? 0) > maxBytes) {
    await message.body?.cancel().catch(() => {});
    throw new BodyTooLarge(maxBytes);
  }
  if (!message.body) return '';
  const decoder = new TextDecoder('utf-8', { fatal });
  const reader = message.body.getReader();
  let text = '';
  let length = 0;
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return text + decoder.decode();
      length += value.byteLength;
      if (length > maxBytes) throw new BodyTooLarge(maxBytes);
      text += decoder.decode(value, { stream: true });
    }
  } catch (error) {
    await reader.cancel().catch(() => {});
    throw error;
  }
}
