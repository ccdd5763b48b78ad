import { readFileSync } from 'node:fs';
import { UserError } from '../platform/user_error.ts';

/** The array of events that a listing file holds. */
export function readListings(path: string): unknown[] {
  let read: unknown;
  try {
    read = JSON.parse(readFileSync(path, 'utf8'));
  } catch (error) {
    throw new UserError(`${path} cannot be read as JSON: ${error instanceof Error ? error.message : error}`);
  }
  if (!Array.isArray(read)) throw new UserError(`${path} holds no array of events.`);
  return read;
}
