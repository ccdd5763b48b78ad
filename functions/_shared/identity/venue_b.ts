import { cryptoAboveB } from './crypto_above.ts';
import { fedDecisionB } from './fed_decision.ts';
import { moneylineB } from './moneyline_b.ts';
import { outrightB } from './outright_b.ts';
import type { Context, Reading } from './question.ts';
import { readEvent } from './reading.ts';
import { weatherB } from './weather_b.ts';

/** What a venue_b event (Gamma, markets nested) asks, in canonical terms. Never throws. A family is a line here. */
export function questionsOfVenueB(event: unknown, context: Context): Reading {
  return readEvent(event, context, 'slug', {
    moneyline: moneylineB,
    outright: outrightB,
    fed_decision: fedDecisionB,
    weather: weatherB,
    crypto_above: cryptoAboveB,
  });
}
