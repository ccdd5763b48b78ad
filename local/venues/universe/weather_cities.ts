/** Highest temperature of a city's day. Equal stations give twins; where the stations differ the ladders only look alike. */
export type City = {
  series: string;
  a: string;
  nameA: string;
  stationA: string;
  slug: string;
  nameB: string;
  stationB: string;
  mean: number;
  same: boolean;
  offset: number;
};

export const CITIES: readonly City[] = [
  {
    series: 'KXHIGHMIA',
    a: 'MIA',
    nameA: 'Miami',
    stationA: 'Miami International Airport',
    slug: 'miami',
    nameB: 'Miami',
    stationB: 'Miami Intl Airport Station',
    mean: 84,
    same: true,
    offset: 0,
  },
  {
    series: 'KXHIGHLAX',
    a: 'LAX',
    nameA: 'LA',
    stationA: 'Los Angeles International Airport',
    slug: 'los-angeles',
    nameB: 'Los Angeles',
    stationB: 'Los Angeles International Airport Station',
    mean: 72,
    same: true,
    offset: 1,
  },
  {
    series: 'KXHIGHAUS',
    a: 'AUS',
    nameA: 'Austin',
    stationA: 'Austin-Bergstrom International Airport',
    slug: 'austin',
    nameB: 'Austin',
    stationB: 'Austin-Bergstrom International Airport Station',
    mean: 79,
    same: true,
    offset: 0,
  },
  {
    series: 'KXHIGHNY',
    a: 'NY',
    nameA: 'NYC',
    stationA: 'Central Park',
    slug: 'nyc',
    nameB: 'New York City',
    stationB: 'LaGuardia Airport Station',
    mean: 61,
    same: false,
    offset: 0,
  },
  {
    series: 'KXHIGHCHI',
    a: 'CHI',
    nameA: 'Chicago',
    stationA: 'Chicago Midway',
    slug: 'chicago',
    nameB: 'Chicago',
    stationB: "Chicago O'Hare Intl Airport Station",
    mean: 55,
    same: false,
    offset: 1,
  },
  {
    series: 'KXHIGHDEN',
    a: 'DEN',
    nameA: 'Denver',
    stationA: 'Denver International Airport',
    slug: 'denver',
    nameB: 'Denver',
    stationB: 'Buckley Space Force Base Station',
    mean: 58,
    same: false,
    offset: 0,
  },
  {
    series: 'KXHIGHTDAL',
    a: 'DAL',
    nameA: 'Dallas',
    stationA: 'Dallas/Fort Worth International Airport',
    slug: 'dallas',
    nameB: 'Dallas',
    stationB: 'Dallas Love Field Station',
    mean: 74,
    same: false,
    offset: 0,
  },
];

/** Whole degrees Fahrenheit, both ends included. */
export type Band = { low: number; high: number };

export const inside = (band: Band, value: number): boolean => value >= band.low && value <= band.high;
