import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { questionsOfVenueA } from '../../../functions/ingest/identity/venue_a.ts';
import { questionsOfVenueB } from '../../../functions/ingest/identity/venue_b.ts';
import { repository } from '../../../local/platform/postgres/binaries.ts';
import { futureA, futureB, gameA, gameB } from '../../catalog/fixtures.ts';
import { anyJson, anyText, longText } from './texts.ts';

type Fields = Record<string, unknown>;

/** Adds the fields that the parser requires of every listing of venue_a. */
const completeA = (event: { event_ticker: string; markets: object[] }): Fields => ({
  series_ticker: event.event_ticker.split('-')[0],
  title: 'Houston vs San Diego',
  mutually_exclusive: true,
  ...event,
  markets: event.markets.map((market) => ({
    event_ticker: event.event_ticker,
    status: 'active',
    market_type: 'binary',
    yes_sub_title: 'Houston',
    open_time: '2026-08-01T00:00:00Z',
    close_time: '2026-12-12T00:00:00Z',
    rules_primary: 'If Houston wins, the market resolves to Yes.',
    ...market,
  })),
});
/** Adds the fields that the parser requires of every listing of venue_b. */
const completeB = (event: { slug: string; markets: object[] }): Fields => ({
  title: 'Astros vs. Padres',
  ...event,
  markets: event.markets.map((market, at) => ({
    slug: `${event.slug}-${at}`,
    question: 'Astros vs. Padres',
    active: true,
    closed: false,
    acceptingOrders: true,
    enableOrderBook: true,
    ...market,
  })),
});

const HOU = { code: 'HOU', label: 'Houston' };
const SD = { code: 'SD', label: 'San Diego' };
const strikeMarket = (event: string, suffix: string, strike: object) => ({ ticker: `${event}-${suffix}`, ...strike });

/** Valid events of several families, as venue payloads. */
const writtenA: Fields[] = [
  gameA('KXMLBGAME-26AUG092020HOUSD', 'Houston vs San Diego', [HOU, SD]),
  futureA('KXNFLMVP-27', 'MVP Winner?', [{ code: 'JALL', label: 'Josh Allen' }]),
  futureA(
    'KXFEDDECISION-26OCT',
    'Fed decision?',
    ['C26', 'C25', 'H0', 'H25', 'H26'].map((code) => ({ code, label: code })),
  ),
  {
    event_ticker: 'KXHIGHNY-26JUN08',
    markets: [
      strikeMarket('KXHIGHNY-26JUN08', 'T79', {
        yes_sub_title: '80° or above',
        strike_type: 'greater',
        floor_strike: 79,
      }),
    ],
  },
  {
    event_ticker: 'KXBTCD-26SEP1817',
    markets: [
      strikeMarket('KXBTCD-26SEP1817', 'T77999.99', {
        yes_sub_title: '$78,000 or above',
        strike_type: 'greater',
        floor_strike: 77999.99,
      }),
    ],
  },
].map((event) => completeA(event as never));
const writtenB: Fields[] = [
  gameB('mlb-hou-sd-2026-08-09', ['Astros', 'Padres']),
  futureB('nfl-mvp', 'NFL MVP 2026-27', ['Josh Allen']),
  futureB('fed-decision-in-october', 'Fed decision in October?', ['No change', '25 bps increase']),
  futureB('highest-temperature-in-nyc-on-june-8-2026', 'Highest temperature in NYC on June 8?', [
    '77-78°F',
    '71°F or below',
  ]),
  futureB('bitcoin-above-on-september-18', 'Bitcoin above on September 18?', ['78,000']),
].map((event) => completeB(event as never));

/**
 * Four recorded events of each label folder, or none without ../shared, which is not in this
 * repository.
 */
function recordedOf(venue: 'venue_a' | 'venue_b'): Fields[] {
  const root = join(repository, '../shared/data/labels');
  if (!existsSync(root)) return [];
  return readdirSync(root)
    .map((folder) => join(root, folder, `listings.${venue}.json`))
    .filter((file) => existsSync(file))
    .flatMap((file) => {
      const events = JSON.parse(readFileSync(file, 'utf8')) as Fields[];
      return [0, 0.3, 0.6, 0.9].flatMap((part): Fields[] => events.slice(Math.floor(part * events.length)).slice(0, 1));
    })
    .filter((event) => Array.isArray(event.markets) && event.markets.length <= 40);
}

export const eventsA = [...writtenA, ...recordedOf('venue_a')];
export const eventsB = [...writtenB, ...recordedOf('venue_b')];

const now = '2026-08-01T00:00:00.000Z';
/** `recorded` lets the parser accept recordings, which lack some fields of a venue response. */
export const contextA = { series: new Map(), milestones: [], now, recorded: true, questionsOf: questionsOfVenueA };
export const contextB = { now, recorded: true, questionsOf: questionsOfVenueB };
export const validA = eventsA[0] as Fields;
export const validB = eventsB[0] as Fields;

/** Any value in place of a valid one. */
const anyValue: fc.Arbitrary<unknown> = fc.oneof(
  anyJson(2),
  anyText,
  longText,
  fc.constantFrom<unknown>(
    null,
    0,
    -1,
    1e15,
    1e21,
    1e308,
    5e-324,
    true,
    [],
    {},
    '',
    '2026-02-30T25:61:00Z',
    '0000-01-01T00:00:00Z',
    '275760-09-13T00:00:00Z',
  ),
  fc.constantFrom<unknown>(
    '["Yes","No"]',
    '[',
    '["Yes"',
    '[null,null]',
    'x'.repeat(9_000),
    '{{team}}',
    'Houston\u3164',
    '[[[[',
    'NaN',
  ),
);

/** One change at a place in an event: a field is replaced, renamed, duplicated or removed. */
type Fault = {
  path: number[];
  kind: 'value' | 'removed' | 'renamed' | 'invisible' | 'deep' | 'duplicated';
  value: unknown;
};
const fault: fc.Arbitrary<Fault> = fc.record({
  path: fc.array(fc.nat(30), { minLength: 1, maxLength: 4 }),
  kind: fc.constantFrom<Fault['kind'][]>(
    'value',
    'value',
    'value',
    'removed',
    'renamed',
    'invisible',
    'deep',
    'duplicated',
  ),
  value: anyValue,
});

/** 20,000 nested arrays: JSON.parse accepts them, a recursive function overflows the stack. */
const deepArray: unknown = JSON.parse(`${'['.repeat(20_000)}${']'.repeat(20_000)}`);

/** Returns a copy of the value with the fault in it. */
function withFault(target: unknown, { path, kind, value }: Fault): unknown {
  const [step = 0, ...rest] = path;
  if (Array.isArray(target)) {
    if (target.length === 0) return target;
    const at = step % target.length;
    if (kind === 'duplicated' && rest.length === 0) return [...target, target[at]];
    return target.map((one, n) =>
      n !== at ? one : rest.length > 0 ? withFault(one, { path: rest, kind, value }) : value,
    );
  }
  if (typeof target !== 'object' || target === null) return value;
  const names = Object.keys(target);
  const name = names[step % Math.max(1, names.length)];
  if (name === undefined) return value;
  const { [name]: old, ...others } = target as Fields;
  const nested = typeof old === 'object' && old !== null && rest.length > 0;
  if (nested) return { ...others, [name]: withFault(old, { path: rest, kind, value }) };
  if (kind === 'removed') return others;
  if (kind === 'renamed') return { ...others, [`${name}_`]: old };
  // After cleaning, this name equals the name of the field itself.
  if (kind === 'invisible') return { ...others, [name]: old, [`${name}\u200b`]: value };
  if (kind === 'deep') return { ...others, [name]: old, more: deepArray };
  return { ...others, [name]: value };
}

/**
 * One of these events and one to four faults, which may affect its own id. `applyFaults` builds the
 * payload; a failure then reports the event and the faults instead of the result.
 */
export const faultyEvent = (events: readonly Fields[]): fc.Arbitrary<FaultyEvent> =>
  fc.record({ event: fc.constantFrom(...events), faults: fc.array(fault, { minLength: 1, maxLength: 4 }) });
export type FaultyEvent = { event: Fields; faults: Fault[] };
export const applyFaults = ({ event, faults }: FaultyEvent): unknown => faults.reduce<unknown>(withFault, event);
