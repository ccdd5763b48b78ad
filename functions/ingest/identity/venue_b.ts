import { advanceB } from './advance/advance_b.ts';
import { econB } from './economy/econ_b.ts';
import { moneylineB } from './game/moneyline_b.ts';
import { partsB } from './game/parts_b.ts';
import { linesB } from './lines/lines_b.ts';
import { seriesSpreadB } from './lines/series_spread_b.ts';
import { outrightB } from './outright/outright_b.ts';
import { unconfirmedRaceB } from './outright/outright_unconfirmed.ts';
import { parseEvent } from './parse_event.ts';
import { cryptoB } from './price/crypto_b.ts';
import type { Context, QuestionResult } from './question.ts';
import { decisionB } from './rates/decision_b.ts';
import { weatherB } from './weather/weather_b.ts';

/**
 * Returns the questions of a venue_b event (Gamma, with nested markets) in canonical terms. Never
 * throws. Each family is one line.
 */
export function questionsOfVenueB(event: unknown, context: Context): QuestionResult {
  return parseEvent(
    event,
    context,
    'slug',
    {
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
    },
    { unconfirmed_race: unconfirmedRaceB },
  );
}
