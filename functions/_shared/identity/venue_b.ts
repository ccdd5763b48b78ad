import { advanceB } from './advance_b.ts';
import { cryptoB } from './crypto_b.ts';
import { decisionB } from './decision_b.ts';
import { econB } from './econ_b.ts';
import { linesB } from './lines_b.ts';
import { moneylineB } from './moneyline_b.ts';
import { outrightB } from './outright_b.ts';
import { partsB } from './parts_b.ts';
import type { Context, Reading } from './question.ts';
import { readEvent } from './reading.ts';
import { seriesSpreadB } from './series_spread_b.ts';
import { weatherB } from './weather_b.ts';

/** What a venue_b event (Gamma, markets nested) asks, in canonical terms. Never throws. A family is a line here. */
export function questionsOfVenueB(event: unknown, context: Context): Reading {
  return readEvent(event, context, 'slug', {
    moneyline: moneylineB,
    moneyline_part: partsB,
    lines: linesB,
    series_spread: seriesSpreadB,
    advance: advanceB,
    outright: outrightB,
    fed_decision: decisionB('fed_decision'),
    cb_decision: decisionB('cb_decision'),
    econ_print: econB,
    weather: weatherB,
    crypto_above: cryptoB,
  });
}
