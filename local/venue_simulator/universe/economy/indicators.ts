import { easternInstant, easternParts, MONTHS } from '../../core/eastern.ts';

/**
 * Economic releases in the words of each venue. Series and titles of venue A: recorded in May 2026.
 * Questions of venue B: April to October 2026.
 */
export type Period = { year: number; month: number; quarter: number; release: number };

export type Indicator = {
  key: string;
  /** Mean of the drawn value, in its own unit. */
  mean: number;
  deviation: number;
  precision: number;
  period: 'month' | 'quarter';
  releaseDay: 'first_friday' | 12 | 30;
  unit: '%' | 'k';
  /** Venue A's series of exact values and of thresholds. Null if it has none. */
  exact: { series: string; title: (when: string) => string } | null;
  above: { series: string; title: (period: Period) => string } | null;
  /** Venue B lists single values. False: ranges, each from the end of the previous one. */
  points: boolean;
  /** Distance of two thresholds. */
  step: number;
  description: string;
  source: { name: string; url: string };
  /** Venue B's ladder. Null if it has none. */
  b: {
    slug: (p: Period) => string;
    title: (p: Period) => string;
    market: (p: Period, band: Bucket) => { question: string; slug: string; group: string };
    description: string;
  } | null;
};

/** Both ends are included. Null is open-ended. */
export type Bucket = { low: number | null; high: number | null };

const LONG_MONTHS = 'January February March April May June July August September October November December'.split(' ');
export const monthName = ({ month }: Period): string => LONG_MONTHS[month - 1] ?? '';
export const shortMonth = ({ month, year }: Period): string => `${MONTHS[month - 1]} ${year}`;
const dotted = (value: number): string => value.toFixed(1).replace('.', 'pt');

const BLS = { name: 'Bureau of Labor Statistics', url: 'https://www.bls.gov/' };

/** "Will annual inflation increase by 3.4% in April?", with the tails as "≤3.1%" and "≥3.7%". */
function inflation(word: 'annual' | 'monthly'): Indicator['b'] {
  return {
    slug: (p) => `${monthName(p).toLowerCase()}-inflation-us-${word}`,
    title: (p) => `${monthName(p)} Inflation US - ${word === 'annual' ? 'Annual' : 'Monthly'}`,
    description: `the ${word === 'annual' ? '12-month' : 'one-month'} percent change of the Consumer Price Index for All Urban Consumers (CPI-U), ${word === 'annual' ? 'not seasonally adjusted' : 'seasonally adjusted'}`,
    market: (p, { low, high }) => {
      const month = monthName(p);
      const [sign, value, tail] =
        low === null ? ['≤', high ?? 0, '-or-less'] : high === null ? ['≥', low, '-or-more'] : ['', low, ''];
      return {
        question: `Will ${word} inflation increase by ${sign}${value.toFixed(1)}% in ${month}?`,
        slug: `will-${word}-inflation-increase-by-${dotted(value)}${tail}-in-${month.toLowerCase()}`,
        group: `${sign}${value.toFixed(1)}%`,
      };
    },
  };
}

export const INDICATORS: readonly Indicator[] = [
  {
    key: 'u3',
    mean: 4.3,
    deviation: 0.12,
    precision: 0.1,
    period: 'month',
    releaseDay: 'first_friday',
    unit: '%',
    exact: { series: 'KXECONSTATU3', title: (when) => `Unemployment rate in ${when}?` },
    above: { series: 'KXU3', title: (p) => `Unemployment in ${shortMonth(p)}` },
    points: true,
    step: 0.1,
    description: 'the seasonally adjusted U-3 unemployment rate',
    source: BLS,
    b: {
      slug: (p) => `unemployment-rate-${monthName(p).toLowerCase()}-${p.year}`,
      title: (p) => `${monthName(p)} unemployment rate?`,
      description: 'the headline (U-3) seasonally adjusted unemployment rate',
      market: (p, { low, high }) => {
        const name = `${monthName(p)} ${p.year}`;
        const stem = `will-the-${monthName(p).toLowerCase()}-${p.year}-unemployment-rate-be`;
        const value = (low ?? high ?? 0).toFixed(1);
        const tail = low === null ? ' or lower' : high === null ? ' or higher' : '';
        return {
          question: `Will the ${name} unemployment rate be ${value}%${tail}?`,
          slug: `${stem}-${dotted(low ?? high ?? 0)}${tail.replaceAll(' ', '-')}`,
          group: `${low === null ? '≤' : high === null ? '≥' : ''}${value}%`,
        };
      },
    },
  },
  {
    key: 'cpi_yoy',
    mean: 3,
    deviation: 0.13,
    precision: 0.1,
    period: 'month',
    releaseDay: 12,
    unit: '%',
    exact: { series: 'KXECONSTATCPIYOY', title: (when) => `CPI year-over-year in ${when}?` },
    above: { series: 'KXCPIYOY', title: (p) => `Inflation in ${monthName(p)} ${p.year} (CPI YoY)` },
    points: true,
    step: 0.1,
    description: 'the Consumer Price Index over the same month of the year before',
    source: BLS,
    b: inflation('annual'),
  },
  {
    key: 'cpi_mom',
    mean: 0.3,
    deviation: 0.09,
    precision: 0.1,
    period: 'month',
    releaseDay: 12,
    unit: '%',
    // Thresholds only: each single value of venue B is bounded by two of them.
    exact: null,
    above: { series: 'KXCPI', title: (p) => `CPI in ${monthName(p)}` },
    points: true,
    step: 0.1,
    description: 'the seasonally adjusted Consumer Price Index over the month before',
    source: BLS,
    b: inflation('monthly'),
  },
  {
    key: 'core_yoy',
    mean: 3.1,
    deviation: 0.1,
    precision: 0.1,
    period: 'month',
    releaseDay: 12,
    unit: '%',
    exact: { series: 'KXECONSTATCORECPIYOY', title: (when) => `CPI core year-over-year in ${when}?` },
    above: { series: 'KXCPICOREYOY', title: (p) => `Core inflation in ${monthName(p)} ${p.year} (Core CPI YoY)` },
    points: true,
    step: 0.1,
    description: 'the Consumer Price Index without food and energy over the same month of the year before',
    source: BLS,
    b: null,
  },
  {
    key: 'payrolls',
    mean: 160,
    deviation: 45,
    precision: 1,
    period: 'month',
    releaseDay: 'first_friday',
    unit: 'k',
    exact: null,
    above: { series: 'KXPAYROLLS', title: (p) => `Jobs numbers in ${shortMonth(p)}?` },
    points: false,
    step: 50,
    description: 'the change of total nonfarm payroll employment',
    source: BLS,
    b: {
      slug: (p) => `how-many-jobs-added-in-${monthName(p).toLowerCase()}`,
      title: (p) => `How many jobs added in ${monthName(p)}?`,
      description: 'the change of total nonfarm payroll employment as first published',
      market: (p, { low, high }) => {
        const month = monthName(p);
        if (low === null)
          return {
            question: `Will the US add less than ${high}k jobs in ${month}?`,
            slug: `will-the-us-add-less-than-${high}k-jobs-in-${month.toLowerCase()}`,
            group: `<${high}k`,
          };
        if (high === null)
          return {
            question: `Will the US add at least ${low}k jobs in ${month}?`,
            slug: `will-the-us-add-at-least-${low}k-jobs-in-${month.toLowerCase()}`,
            group: `${low}k+`,
          };
        return {
          question: `Will the US add between ${low}k and ${high}k jobs in ${month}?`,
          slug: `will-the-us-add-between-${low}k-and-${high}k-jobs-in-${month.toLowerCase()}`,
          group: `${low}k–${high}k`,
        };
      },
    },
  },
  {
    key: 'gdp',
    mean: 2.4,
    deviation: 0.7,
    precision: 0.1,
    period: 'quarter',
    releaseDay: 30,
    unit: '%',
    exact: null,
    above: { series: 'KXGDP', title: (p) => `US GDP growth in Q${p.quarter} ${p.year}?` },
    points: false,
    step: 0.5,
    description: 'real GDP at a seasonally adjusted annual rate, by the advance estimate,',
    source: { name: 'Bureau of Economic Analysis', url: 'https://www.bea.gov/' },
    b: {
      slug: (p) => `us-gdp-growth-in-q${p.quarter}-${p.year}`,
      title: (p) => `US GDP growth in Q${p.quarter} ${p.year}?`,
      description:
        'the seasonally adjusted annual rate of real GDP growth in the advance estimate of the Bureau of Economic Analysis',
      market: (p, { low, high }) => {
        const quarter = `Q${p.quarter} ${p.year}`;
        const stem = `will-us-gdp-growth-in-q${p.quarter}-${p.year}-be`;
        if (low === null)
          return {
            question: `Will US GDP growth in ${quarter} be less than ${high?.toFixed(1)}%?`,
            slug: `${stem}-less-than-${dotted(high ?? 0)}`,
            group: `<${high?.toFixed(1)}%`,
          };
        if (high === null)
          return {
            question: `Will US GDP growth in ${quarter} be ${low.toFixed(1)}% or more?`,
            slug: `${stem}-${dotted(low)}-or-more`,
            group: `≥${low.toFixed(1)}%`,
          };
        return {
          question: `Will US GDP growth in ${quarter} be between ${low.toFixed(1)}% and ${high.toFixed(1)}%?`,
          slug: `${stem}-between-${dotted(low)}-and-${dotted(high)}`,
          group: `${low.toFixed(1)}–${high.toFixed(1)}%`,
        };
      },
    },
  },
];

/** The release number `ahead` after `now`, and the month or quarter before it, which it reports. */
export function releaseOf({ period, releaseDay }: Indicator, now: number, ahead: number): Period {
  const { year, month } = easternParts(now);
  let found = 0;
  for (let i = 0; ; i++) {
    const at = { year: year + Math.floor((month - 1 + i) / 12), month: ((month - 1 + i) % 12) + 1 };
    if (period === 'quarter' && ![1, 4, 7, 10].includes(at.month)) continue;
    const day = releaseDay === 'first_friday' ? firstFriday(at.year, at.month) : releaseDay;
    const release = easternInstant(at.year, at.month, day, 8, 30);
    if (release < now + 2 * 86_400_000 || found++ < ahead) continue;
    const last = at.month === 1 ? { year: at.year - 1, month: 12 } : { year: at.year, month: at.month - 1 };
    return { ...last, quarter: Math.ceil(last.month / 3), release };
  }
}

function firstFriday(year: number, month: number): number {
  const first = new Date(Date.UTC(year, month - 1, 1)).getUTCDay();
  return 1 + ((5 - first + 7) % 7);
}
