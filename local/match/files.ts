import { readFileSync } from 'node:fs';
import { UserError } from '../platform/user_error.ts';

/** The array of events in a listing file. */
export function readListings(path: string): unknown[] {
  let events: unknown;
  try {
    events = JSON.parse(readFileSync(path, 'utf8'));
  } catch (error) {
    throw new UserError(`${path} could not be read as JSON: ${error instanceof Error ? error.message : error}`);
  }
  if (!Array.isArray(events)) throw new UserError(`${path} is not an array of events.`);
  return events;
}
