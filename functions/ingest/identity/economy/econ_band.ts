import { MAX_PLAIN_LENGTH } from '../text/summary_text.ts';

/**
 * The figures for which a contract pays, as canonical decimal text in the unit of the indicator.
 * Null is an open end.
 */
export type Band = {
  low: string | null;
  high: string | null;
  comparison: 'equal' | 'within' | 'above' | 'at_or_above' | 'below' | 'at_or_below';
};

type Figure = { text: string; unit: string };

/** "4.20" is "4.2", "1,000" is "1000", "-0.0" is "0". */
export function decimalText(value: string | number): string | null {
  const plain = String(value).replace(/,/g, '');
  if (!/^-?\d{1,12}(?:\.\d{1,6})?$/.test(plain)) return null;
  const withoutZeros = plain.includes('.') ? plain.replace(/\.?0+$/, '') : plain;
  const trimmed = withoutZeros.replace(/^(-?)0+(?=\d)/, '$1');
  return trimmed === '-0' ? '0' : trimmed;
}

export const negate = (value: string): string =>
  value === '0' ? '0' : value.startsWith('-') ? value.slice(1) : `-${value}`;

/**
 * Rewrites a text so that only figures are left to find. A dash between two figures is a range, a
 * dash before one figure is a sign. Dates and names with digits are removed.
 */
function prepareText(text: string): string {
  return (
    text
      .toLowerCase()
      .replace(/[−–—]/g, '-')
      .replace(/\bu-?3\b|\bq[1-4]\b/g, ' ')
      // "Year-over-year" is no comparison with a figure.
      .replace(/\b(?:year|quarter|month|week)[- ]over[- ](?:the[- ])?(?:year|quarter|month|week)\b/g, ' ')
      .replace(
        /\b(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.? \d{1,2}(?:st|nd|rd|th)?\b(?!\s*[%k.])/g,
        ' ',
      )
      .replace(/(?<![\d.,-])20\d\d\b(?!\s*%|\s*k\b|[.,]\d)/g, ' ')
      .replace(/(\d\s*%?\s*k?)\s*-\s*(?=-?\s*\$?\d)/g, '$1 to ')
      .replace(/-\s+(?=\d)/g, '-')
  );
}

const FIGURE = /(-?)\$?(\d[\d,]*(?:\.\d+)?)\s*(%|percent|pct|k\b|thousand|m\b|million)?/g;

function parseFigures(text: string): Figure[] {
  return [...text.matchAll(FIGURE)].map((match) => ({
    text: `${match[1]}${match[2]}`,
    unit: (match[3] ?? '')
      .replace(/percent|pct/, '%')
      .replace('thousand', 'k')
      .replace('million', 'm'),
  }));
}

/**
 * Converts a figure to the unit of the indicator. Thousands are written "50k" or "50,000". A bare
 * "25" next to "50k" is in thousands too.
 */
function toUnit(figure: Figure, unit: string, kilos: boolean): string | null {
  const value = decimalText(figure.text);
  if (value === null) return null;
  if (unit !== 'k') {
    const foreign = unit === '%' ? figure.unit === 'k' || figure.unit === 'm' : figure.unit !== '';
    return foreign ? null : value;
  }
  if (figure.unit === '%') return null;
  if (figure.unit === 'm') return decimalText(Number(value) * 1000);
  if (figure.unit === 'k' || value === '0') return value;
  if (Math.abs(Number(value)) >= 1000) return decimalText(Number(value) / 1000);
  return kilos ? value : null;
}

const COMPARISONS: readonly (readonly [Band['comparison'], RegExp])[] = [
  [
    'at_or_below',
    /≤|\bless than or equal\b|\bat most\b|\bno more than\b|\bor (?:less|lower|below|fewer|under)\b|\bup to\b/,
  ],
  [
    'at_or_above',
    /≥|\b(?:greater|more) than or equal\b|\d\s*(?:%|k)?\s*\+|\bat least\b|\bno less than\b|\bor (?:more|higher|above|greater|over)\b/,
  ],
  ['below', /<|\bless than\b|\bbelow\b|\bunder\b|\bfewer than\b|\blower than\b/],
  ['above', />|\bmore than\b|\babove\b|\bover\b|\bgreater than\b|\bhigher than\b/],
];

/**
 * Parses "4.2%", "≤4.0%", "0.6%+", "1.5–2.0%", "-25k to 0" or "Will the US lose more than 25k jobs
 * in October?". Null for anything else.
 */
export function parseBand(text: string, unit: string): Band | null {
  if (text.length > MAX_PLAIN_LENGTH) return null;
  const prepared = prepareText(text);
  const figures = parseFigures(prepared);
  // "Fall to 4.1%" does not state how a deeper fall counts.
  if (/\b(?:rise|fall|drop|grow|increase|decrease)s? (?:to|below|above)\b/.test(prepared)) return null;
  const down = /\blose|\b(?:decrease|fall|drop)s? by\b/.test(prepared);
  if (figures.length === 0) {
    if (/\blose jobs\b/.test(prepared)) return { low: null, high: '0', comparison: 'below' };
    return null;
  }
  const kilos = figures.some((one) => one.unit === 'k');
  const values = figures.map((one) => toUnit(one, unit, kilos));
  const [first, second] = values;
  if (values.some((one) => one === null) || first === null || first === undefined) return null;
  if (values.length > 2) return null;
  if (second !== undefined && second !== null) return rangeOf(prepared, first, second, down);
  const comparison = COMPARISONS.find(([, pattern]) => pattern.test(prepared))?.[0] ?? 'equal';
  return oneSided(comparison, first, down);
}

function rangeOf(text: string, first: string, second: string, down: boolean): Band | null {
  if (!/\bbetween\b|\d\s*%?\s*k?\s+to\s/.test(text)) return null;
  const edges = (down ? [negate(first), negate(second)] : [first, second]).sort((a, b) => Number(a) - Number(b));
  const [low = first, high = second] = edges;
  return low === high ? null : { low, high, comparison: 'within' };
}

/**
 * "Decrease by 0.7% or more" is -0.7 or less. "Decrease by less than" does not state whether a rise
 * counts, so it is not parsed.
 */
function oneSided(comparison: Band['comparison'], value: string, down: boolean): Band | null {
  if (down) {
    const mirrored = { equal: 'equal', at_or_above: 'at_or_below', above: 'below' }[comparison as 'equal'];
    return mirrored === undefined ? null : oneSided(mirrored as Band['comparison'], negate(value), false);
  }
  if (comparison === 'equal') return { low: value, high: value, comparison };
  return comparison === 'above' || comparison === 'at_or_above'
    ? { low: value, high: null, comparison }
    : { low: null, high: value, comparison };
}

const CODE = { equal: 'eq', within: 'in', above: 'gt', at_or_above: 'ge', below: 'lt', at_or_below: 'le' };

/** Returns eq_4.2, le_4 or in_1.5_2: the same key on both venues for the same figures. */
export function keyOfBand(band: Band): string {
  const edges = band.comparison === 'within' ? [band.low, band.high] : [band.low ?? band.high];
  return [CODE[band.comparison], ...edges].join('_');
}

/** Returns "4.2%", "4% or less", "1.5% to 2%" or "Above 50k". */
export function nameOfBand(band: Band, unit: string): string {
  const withUnit = (value: string | null): string =>
    value === null || unit === 'points' || (unit === 'k' && value === '0') ? (value ?? '') : `${value}${unit}`;
  const edge = withUnit(band.low ?? band.high);
  const names = {
    equal: edge,
    within: `${withUnit(band.low)} to ${withUnit(band.high)}`,
    above: `Above ${edge}`,
    at_or_above: `${edge} or more`,
    below: `Below ${edge}`,
    at_or_below: `${edge} or less`,
  };
  return names[band.comparison];
}

export function orderOfBand(band: Band): number {
  if (band.low === null) return Number(band.high) - 1e-6;
  return Number(band.low) + (band.comparison === 'above' ? 2e-6 : band.high === null ? 1e-6 : 0);
}
