import { createHash } from 'node:crypto';

/**
 * SHA-256 of an API key or a stream ticket in lower-case hex: the database looks both up by it. It does not use crypto.subtle, which hands
 * 55 bytes to another thread and waits: that was a quarter of the time of a steady request.
 */
export function hashKey(key: string): string {
  return createHash('sha256').update(key).digest('hex');
}
