import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { questionsOfVenueA } from '../../../functions/ingest/identity/venue_a.ts';
import { questionsOfVenueB } from '../../../functions/ingest/identity/venue_b.ts';
import { repository } from '../../../local/platform/postgres/binaries.ts';
import { futureA, futureB, gameA, gameB } from '../../catalog/fixtures.ts';
import { anyJson, anyText, longText } from './texts.ts';

type Fields = Record<string, unknown>;

/** What the venue says of every market beside what it asks: without it a listing is set aside. */
const servedA = (event: { event_ticker: string; markets: object[] }): Fields => ({
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
const servedB = (event: { slug: string; markets: object[] }): Fields => ({
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
const rung = (event: string, suffix: string, strike: object) => ({ ticker: `${event}-${suffix}`, ...strike });

/** Sound events of several families, in the shapes of the venues. */
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
      rung('KXHIGHNY-26JUN08', 'T79', { yes_sub_title: '80° or above', strike_type: 'greater', floor_strike: 79 }),
    ],
  },
  {
    event_ticker: 'KXBTCD-26SEP1817',
    markets: [
      rung('KXBTCD-26SEP1817', 'T77999.99', {
        yes_sub_title: '$78,000 or above',
        strike_type: 'greater',
        floor_strike: 77999.99,
      }),
    ],
  },
].map((event) => servedA(event as never));
const writtenB: Fields[] = [
  gameB('mlb-hou-sd-2026-08-09', ['Astros', 'Padres']),
  futureB('nfl-mvp', 'NFL MVP 2026-27', ['Josh Allen']),
  futureB('fed-decision-in-october', 'Fed decision in October?', ['No change', '25 bps increase']),
  futureB('highest-temperature-in-nyc-on-june-8-2026', 'Highest temperature in NYC on June 8?', [
    '77-78°F',
    '71°F or below',
  ]),
  futureB('bitcoin-above-on-september-18', 'Bitcoin above on September 18?', ['78,000']),
].map((event) => servedB(event as never));

/** Recorded events where there are any (../shared is not part of the project), a few of each world. */
function recordedOf(venue: 'venue_a' | 'venue_b'): Fields[] {
  const worlds = join(repository, '../shared/data/labels');
  if (!existsSync(worlds)) return [];
  return readdirSync(worlds)
    .map((world) => join(worlds, world, `listings.${venue}.json`))
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
/** Read as a recording is, so that what nobody kept of it is not a fault. */
export const contextA = { series: new Map(), milestones: [], now, recorded: true, questionsOf: questionsOfVenueA };
export const contextB = { now, recorded: true, questionsOf: questionsOfVenueB };
export const soundA = eventsA[0] as Fields;
export const soundB = eventsB[0] as Fields;

/** What may stand where something else should. */
const wrong: fc.Arbitrary<unknown> = fc.oneof(
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

/** Puts something wrong at a place in a copy: a field is changed, renamed, doubled under another name, or gone. */
type Fault = { path: number[]; how: 'value' | 'gone' | 'renamed' | 'unseen' | 'deep' | 'twice'; value: unknown };
const fault: fc.Arbitrary<Fault> = fc.record({
  path: fc.array(fc.nat(30), { minLength: 1, maxLength: 4 }),
  how: fc.constantFrom<Fault['how'][]>('value', 'value', 'value', 'gone', 'renamed', 'unseen', 'deep', 'twice'),
  value: wrong,
});

/** 20,000 brackets: JSON.parse takes them, whatever calls itself does not. */
const deep: unknown = JSON.parse(`${'['.repeat(20_000)}${']'.repeat(20_000)}`);

function withFault(whole: unknown, { path, how, value }: Fault): unknown {
  const [step = 0, ...rest] = path;
  if (Array.isArray(whole)) {
    if (whole.length === 0) return whole;
    const at = step % whole.length;
    if (how === 'twice' && rest.length === 0) return [...whole, whole[at]];
    return whole.map((one, n) =>
      n !== at ? one : rest.length > 0 ? withFault(one, { path: rest, how, value }) : value,
    );
  }
  if (typeof whole !== 'object' || whole === null) return value;
  const names = Object.keys(whole);
  const name = names[step % Math.max(1, names.length)];
  if (name === undefined) return value;
  const { [name]: old, ...others } = whole as Fields;
  const nested = typeof old === 'object' && old !== null && rest.length > 0;
  if (nested) return { ...others, [name]: withFault(old, { path: rest, how, value }) };
  if (how === 'gone') return others;
  if (how === 'renamed') return { ...others, [`${name}_`]: old };
  // Cleaned, its name would be that of the field itself.
  if (how === 'unseen') return { ...others, [name]: old, [`${name}\u200b`]: value };
  if (how === 'deep') return { ...others, [name]: old, more: deep };
  return { ...others, [name]: value };
}

/** An event of these and one to four faults in it; its own name may be among them. Made by `spoilt`, so that a case can be shown. */
export const faulty = (events: readonly Fields[]): fc.Arbitrary<Faulty> =>
  fc.record({ event: fc.constantFrom(...events), faults: fc.array(fault, { minLength: 1, maxLength: 4 }) });
export type Faulty = { event: Fields; faults: Fault[] };
export const spoilt = ({ event, faults }: Faulty): unknown => faults.reduce<unknown>(withFault, event);
