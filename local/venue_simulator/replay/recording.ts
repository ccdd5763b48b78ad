import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { SourceA } from '../venue_a/source.ts';
import type { SourceB } from '../venue_b/source.ts';
import { ReplayA } from './replay_a.ts';
import { ReplayB } from './replay_b.ts';

/** One line of books.jsonl: a venue's raw WebSocket message and its time. */
export type RecordedMessage = { at: number; venue: 'venue_a' | 'venue_b'; message: unknown };

export type Recording = { a: SourceA; b: SourceB; first: number; last: number; advance(t: number): void };

/**
 * Opens a recording: `listings.venue_a.json` (events with nested markets), `listings.venue_b.json`
 * (Gamma events), `books.jsonl`. Throws an error with the file and line that is invalid. Messages
 * before `now` are applied at once.
 */
export function openRecording(folder: string, now: number): Recording {
  const lines = linesOf(join(folder, 'books.jsonl'));
  const a = new ReplayA(listingsOf(join(folder, 'listings.venue_a.json')));
  const b = new ReplayB(listingsOf(join(folder, 'listings.venue_b.json')));
  let next = 0;
  const advance = (t: number) => {
    a.t = t;
    b.t = t;
    for (let line = lines[next]; line && line.at <= t; line = lines[++next]) {
      for (const message of Array.isArray(line.message) ? line.message : [line.message]) {
        if (typeof message !== 'object' || message === null) continue;
        if (line.venue === 'venue_a') a.apply(message as Record<string, unknown>, line.at);
        else b.apply(message as Record<string, unknown>, line.at);
      }
    }
  };
  advance(now);
  return { a, b, first: lines[0]?.at ?? now, last: lines.at(-1)?.at ?? now, advance };
}

function listingsOf(file: string): Record<string, unknown>[] {
  if (!existsSync(file)) return [];
  const rows: unknown = JSON.parse(readFileSync(file, 'utf8'));
  const list = Array.isArray(rows) ? rows : ((rows as { events?: unknown }).events ?? []);
  if (!Array.isArray(list)) throw new Error(`${file}: is not an array of events`);
  return list.filter((row): row is Record<string, unknown> => typeof row === 'object' && row !== null);
}

function linesOf(file: string): RecordedMessage[] {
  if (!existsSync(file)) return [];
  const lines = readFileSync(file, 'utf8')
    .split('\n')
    .map((text, i) => ({ text: text.trim(), number: i + 1 }))
    .filter(({ text }) => text !== '')
    .map(({ text, number }): RecordedMessage => {
      const { at, venue, message } = JSON.parse(text) as { at: unknown; venue: unknown; message: unknown };
      const time = typeof at === 'number' ? at : Date.parse(String(at));
      if (!Number.isFinite(time) || (venue !== 'venue_a' && venue !== 'venue_b'))
        throw new Error(`${file}:${number}: a line has no time or venue`);
      return { at: time, venue, message };
    });
  // Recorders of two sockets write nearly in order. The replay must be exactly in order, with equal
  // times in the order of the file.
  return lines
    .map((line, i) => ({ line, i }))
    .sort((x, y) => x.line.at - y.line.at || x.i - y.i)
    .map(({ line }) => line);
}
