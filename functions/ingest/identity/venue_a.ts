import { advanceA } from './advance/advance_a.ts';
import { econA } from './economy/econ_a.ts';
import { moneylineA } from './game/moneyline_a.ts';
import { partsA } from './game/parts_a.ts';
import { linesA } from './lines/lines_a.ts';
import { seriesSpreadA } from './lines/series_spread_a.ts';
import { outrightA } from './outright/outright_a.ts';
import { unconfirmedRaceA } from './outright/outright_unconfirmed.ts';
import { parseEvent } from './parse_event.ts';
import { cryptoA } from './price/crypto_a.ts';
import type { Context, QuestionResult } from './question.ts';
import { decisionA } from './rates/decision_a.ts';
import { weatherA } from './weather/weather_a.ts';

/**
 * Returns the questions of a venue_a event (venue payload with nested markets) in canonical terms.
 * Never throws. Each family is one line.
 */
export function questionsOfVenueA(event: unknown, context: Context): QuestionResult {
  return parseEvent(
    event,
    context,
    'event_ticker',
    {
      moneyline: moneylineA,
      moneyline_part: partsA,
      lines: linesA,
      series_spread: seriesSpreadA,
      advance: advanceA,
      outright: outrightA,
      fed_decision: decisionA('fed_decision'),
      cb_decision: decisionA('cb_decision'),
      econ_print: econA,
      weather: weatherA,
      crypto_above: cryptoA,
    },
    { unconfirmed_race: unconfirmedRaceA },
  );
}
