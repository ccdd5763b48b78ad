/** A city that both venues list. Equal stations give twins. Different stations give lookalikes. */
export type City = {
  series: string;
  /** Venue A's series of lowest temperatures. Null if venue B does not list them. */
  lowSeries: string | null;
  a: string;
  nameA: string;
  stationA: string;
  slug: string;
  nameB: string;
  stationB: string;
  /** Mean of the daily highest temperatures, °F. */
  mean: number;
  same: boolean;
  /** How venue B's bands may differ from venue A's: other edges, or tails further out. */
  offset: 'none' | 'shifted' | 'longer';
};

export const CITIES: readonly City[] = [
  {
    series: 'KXHIGHMIA',
    lowSeries: 'KXLOWTMIA',
    a: 'MIA',
    nameA: 'Miami',
    stationA: 'Miami International Airport',
    slug: 'miami',
    nameB: 'Miami',
    stationB: 'Miami Intl Airport Station',
    mean: 84,
    same: true,
    offset: 'none',
  },
  {
    series: 'KXHIGHLAX',
    lowSeries: 'KXLOWTLAX',
    a: 'LAX',
    nameA: 'LA',
    stationA: 'Los Angeles International Airport',
    slug: 'los-angeles',
    nameB: 'Los Angeles',
    stationB: 'Los Angeles International Airport Station',
    mean: 72,
    same: true,
    offset: 'shifted',
  },
  {
    series: 'KXHIGHAUS',
    lowSeries: null,
    a: 'AUS',
    nameA: 'Austin',
    stationA: 'Austin-Bergstrom International Airport',
    slug: 'austin',
    nameB: 'Austin',
    stationB: 'Austin-Bergstrom International Airport Station',
    mean: 79,
    same: true,
    offset: 'longer',
  },
  {
    series: 'KXHIGHNY',
    lowSeries: 'KXLOWTNYC',
    a: 'NY',
    nameA: 'NYC',
    stationA: 'Central Park',
    slug: 'nyc',
    nameB: 'New York City',
    stationB: 'LaGuardia Airport Station',
    mean: 61,
    same: false,
    offset: 'none',
  },
  {
    series: 'KXHIGHCHI',
    lowSeries: 'KXLOWTCHI',
    a: 'CHI',
    nameA: 'Chicago',
    stationA: 'Chicago Midway',
    slug: 'chicago',
    nameB: 'Chicago',
    stationB: "Chicago O'Hare Intl Airport Station",
    mean: 55,
    same: false,
    offset: 'shifted',
  },
  {
    series: 'KXHIGHDEN',
    lowSeries: null,
    a: 'DEN',
    nameA: 'Denver',
    stationA: 'Denver International Airport',
    slug: 'denver',
    nameB: 'Denver',
    stationB: 'Buckley Space Force Base Station',
    mean: 58,
    same: false,
    offset: 'none',
  },
  {
    series: 'KXHIGHTDAL',
    lowSeries: null,
    a: 'DAL',
    nameA: 'Dallas',
    stationA: 'Dallas/Fort Worth International Airport',
    slug: 'dallas',
    nameB: 'Dallas',
    stationB: 'Dallas Love Field Station',
    mean: 74,
    same: false,
    offset: 'none',
  },
];

/** Cities that only venue B lists, in degrees Celsius. */
export type CelsiusCity = { slug: string; nameB: string; stationB: string; mean: number };
export const CELSIUS_CITIES: readonly CelsiusCity[] = [
  { slug: 'london', nameB: 'London', stationB: 'London City Airport Station', mean: 13 },
  { slug: 'paris', nameB: 'Paris', stationB: 'Paris-Le Bourget Airport Station', mean: 14 },
  { slug: 'tokyo', nameB: 'Tokyo', stationB: 'Tokyo Haneda Airport Station', mean: 18 },
];

/** Whole degrees, both ends included. */
export type Band = { low: number; high: number };

export const isInBand = (band: Band, value: number): boolean => value >= band.low && value <= band.high;
export const overlaps = (one: Band, other: Band): boolean => one.low <= other.high && other.low <= one.high;

/** The extreme of the day that a ladder asks for. */
export type Extreme = 'highest' | 'lowest';
