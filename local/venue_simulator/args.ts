import { parseArgs } from 'node:util';
import type { ClockSegment } from './core/market_clock.ts';

export type Settings = {
  seed: number;
  clock: readonly ClockSegment[];
  portA: number;
  portB: number;
  data: string;
  games: number;
  replay: string | null;
  traps: string;
  /** Read tokens per second of venue A (10 a request). */
  tokens: number;
};

/** 250 games in the next five days beside the futures and ladders: 250 to 350 twins. */
const GAMES = 270;

export function settingsFrom(argv: readonly string[]): Settings {
  const { values } = parseArgs({
    args: [...argv],
    options: {
      seed: { type: 'string', default: '1' },
      clock: { type: 'string', default: '[]' },
      'port-a': { type: 'string', default: '0' },
      'port-b': { type: 'string', default: '0' },
      data: { type: 'string', default: '.data' },
      games: { type: 'string', default: String(GAMES) },
      replay: { type: 'string' },
      traps: { type: 'string', default: 'mild' },
      tokens: { type: 'string', default: '4000' },
    },
  });
  return {
    seed: whole('--seed', values.seed, 0),
    clock: segmentsFrom(values.clock),
    portA: whole('--port-a', values['port-a'], 0),
    portB: whole('--port-b', values['port-b'], 0),
    data: values.data,
    games: whole('--games', values.games, 10),
    replay: values.replay ?? null,
    traps: values.traps,
    tokens: whole('--tokens', values.tokens, 10),
  };
}

function whole(name: string, text: string, least: number): number {
  const value = Number(text);
  if (!Number.isInteger(value) || value < least)
    throw new Error(`${name} must be a whole number of at least ${least}, not "${text}"`);
  return value;
}

/** The clock as JSON text. Throws what is wrong with it. */
export function segmentsFrom(text: string): ClockSegment[] {
  const rows: unknown = JSON.parse(text);
  if (!Array.isArray(rows)) throw new Error('--clock must be a JSON array of {from_real, from_shown, rate}');
  return rows.map((row: unknown) => {
    const { from_real, from_shown, rate } = (row ?? {}) as Record<string, unknown>;
    if (typeof from_real !== 'number' || typeof from_shown !== 'number' || typeof rate !== 'number') {
      throw new Error('--clock: each segment needs from_real, from_shown (ms) and rate as numbers');
    }
    return { from_real, from_shown, rate };
  });
}
