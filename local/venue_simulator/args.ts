import { parseArgs } from 'node:util';
import type { ClockSegment } from './core/market_clock.ts';
import { type PastChanges, parseChanges } from './settled_past/changes.ts';

export type SimulatorOptions = {
  seed: number;
  clock: readonly ClockSegment[];
  portA: number;
  portB: number;
  /** The address of this machine at which both venues listen. */
  host: string;
  data: string;
  games: number;
  /** What both venues list: everything, or only the games of the next days. */
  listings: Listings;
  replay: string | null;
  faults: string;
  /** Read tokens per second of venue A; a request costs 10. */
  tokens: number;
  /** Differences of the settled past. */
  past: PastChanges;
};

const LISTINGS = ['all', 'next_games'] as const;
export type Listings = (typeof LISTINGS)[number];

/** 250 games in the next five days, besides the futures and ladders: 250 to 350 twins. */
const DEFAULT_GAMES = 270;

export function parseOptions(argv: readonly string[]): SimulatorOptions {
  const { values } = parseArgs({
    args: [...argv],
    options: {
      seed: { type: 'string', default: '1' },
      clock: { type: 'string', default: '[]' },
      'port-a': { type: 'string', default: '0' },
      'port-b': { type: 'string', default: '0' },
      host: { type: 'string', default: '127.0.0.1' },
      data: { type: 'string', default: '.data' },
      games: { type: 'string', default: String(DEFAULT_GAMES) },
      listings: { type: 'string', default: 'all' },
      replay: { type: 'string' },
      traps: { type: 'string', default: 'mild' },
      tokens: { type: 'string', default: '4000' },
      'plant-divergence': { type: 'string' },
      'changed-text': { type: 'string' },
    },
  });
  return {
    seed: parseInteger('--seed', values.seed, 0),
    clock: parseSegments(values.clock),
    portA: parseInteger('--port-a', values['port-a'], 0),
    portB: parseInteger('--port-b', values['port-b'], 0),
    host: values.host,
    data: values.data,
    games: parseInteger('--games', values.games, 10),
    listings: parseListings(values.listings),
    replay: values.replay ?? null,
    faults: values.traps,
    tokens: parseInteger('--tokens', values.tokens, 10),
    past: {
      divergences: parseChanges('--plant-divergence', values['plant-divergence']),
      changedTexts: parseChanges('--changed-text', values['changed-text']),
    },
  };
}

function parseListings(text: string): Listings {
  const listings = LISTINGS.find((one) => one === text);
  if (!listings) throw new Error(`--listings must be ${LISTINGS.join(' or ')}, not "${text}"`);
  return listings;
}

function parseInteger(name: string, text: string, least: number): number {
  const value = Number(text);
  if (!Number.isInteger(value) || value < least)
    throw new Error(`${name} must be an integer of at least ${least}, not "${text}"`);
  return value;
}

/** Parses the clock from JSON text. Throws an error that names the problem. */
export function parseSegments(text: string): ClockSegment[] {
  const rows: unknown = JSON.parse(text);
  if (!Array.isArray(rows)) throw new Error('--clock must be a JSON array of {real_from, market_from, rate}');
  return rows.map((row: unknown) => {
    const { real_from, market_from, rate } = (row ?? {}) as Record<string, unknown>;
    if (typeof real_from !== 'number' || typeof market_from !== 'number' || typeof rate !== 'number') {
      throw new Error('--clock: each segment needs real_from, market_from (ms) and rate as numbers');
    }
    return { real_from, market_from, rate };
  });
}
