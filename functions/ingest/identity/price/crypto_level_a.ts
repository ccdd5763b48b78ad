import { opening, type RawObject, text } from '../text/raw_object.ts';
import { suffixOf } from '../text/ticker.ts';
import type { Cadence } from './crypto_assets.ts';
import { isNextPrice, levelOfStrictStrike, type Price, parsePrice, parsePriceLabel } from './threshold.ts';

/** The price level of a venue_a contract, from its fields, its label, its title and its rules. */
type Direction = 'above' | 'below';

export type Level = { level: Price; inclusive: boolean };

/** Parses "$78,000 or above", "Above $85,000.00" or "Below $60,000". */
function parseLabelLevel(label: string, direction: Direction): Level | null {
  const tail = /^(.+?) or (above|higher|more|below|lower|less)$/i.exec(label.trim());
  const head = /^(above|below|over|under) (.+)$/i.exec(label.trim());
  const word = (tail?.[2] ?? head?.[1] ?? '').toLowerCase();
  const price = parsePriceLabel(tail?.[1] ?? head?.[2] ?? '');
  const up = /above|higher|more|over/.test(word);
  if (price === null || up !== (direction === 'above')) return null;
  return tail ? { level: price, inclusive: true } : levelOfStrictStrike(price, direction);
}

/**
 * Parses the strike fields of a contract of this direction. A strike of the other direction is
 * another question.
 */
function parseStrikeLevel(market: RawObject, direction: Direction): Level | null {
  const type = text(market.strike_type);
  const strike = parsePrice(direction === 'above' ? market.floor_strike : market.cap_strike);
  if (strike === null) return null;
  if (type === (direction === 'above' ? 'greater' : 'less')) return levelOfStrictStrike(strike, direction);
  return type === (direction === 'above' ? 'greater_or_equal' : 'less_or_equal')
    ? { level: strike, inclusive: true }
    : null;
}

/** Parses "Will BTC trimmed mean be above $72,500 by 11:59 PM ET on Jul 31, 2026?". */
function parseTitleLevel(title: string, direction: Direction): Level | null {
  const match = /\bbe (above|below) (\$[\d.,]*\d)/i.exec(title);
  const price = match?.[1]?.toLowerCase() === direction ? parsePriceLabel(match[2] ?? '') : null;
  return price === null ? null : levelOfStrictStrike(price, direction);
}

/** Parses "… is above 91499.99 at 5 PM EDT on May 15, 2026, then the market resolves to Yes." */
function parseRulesLevel(rules: string, direction: Direction): Level | null {
  const match = /\bis (above|below) \$?(\d[\d,]*(?:\.\d+)?)/i.exec(rules);
  const price = match?.[1]?.toLowerCase() === direction ? parsePriceLabel(match[2]?.replace(/,$/, '') ?? '') : null;
  return price === null ? null : levelOfStrictStrike(price, direction);
}

/**
 * A cumulative ladder writes its strike as "-T77999.99". In a ladder of ranges the number would not
 * state the direction.
 */
function parseTickerLevel(event: string, market: string): Level | null {
  const match = /^T(\d+(?:\.\d+)?)$/.exec(suffixOf(event, market) ?? '');
  const price = match ? parsePrice(match[1]) : null;
  return price === null ? null : levelOfStrictStrike(price, 'above');
}

/**
 * Parses the level from fields, label, title and rules, which must agree. A ladder at an instant
 * falls back to its ticker.
 */
export function parseLevel(market: RawObject, event: string, kind: Cadence): Level | null | 'contradictory' {
  const direction = kind === 'low' ? 'below' : 'above';
  const levels = [
    parseStrikeLevel(market, direction),
    parseLabelLevel(text(market.yes_sub_title) ?? '', direction),
    parseTitleLevel(text(market.title) ?? '', direction),
    parseRulesLevel(opening(market.rules_primary), direction),
  ].filter((one) => one !== null);
  const [first, ...others] = withLabel(levels, direction);
  if (first === undefined) return kind === 'at' ? parseTickerLevel(event, text(market.ticker) ?? '') : null;
  return others.every((one) => one.level === first.level) ? first : 'contradictory';
}

/**
 * "More than 91.49" with the label "$91.50 or above" differs by one step of the last decimal, which
 * is the same statement.
 */
function withLabel(levels: readonly Level[], direction: Direction): readonly Level[] {
  const label = levels.find((one) => one.inclusive);
  if (label === undefined) return levels;
  return levels.map((one) => (!one.inclusive && isNextPrice(one.level, label.level, direction) ? label : one));
}
