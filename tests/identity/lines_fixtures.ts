/** Invented lines as payloads of both venues, in the wording of the venues. */

export const context = { now: '2026-09-19T12:00:00Z' };

type StrikeA = {
  suffix: string;
  floor?: number | string;
  kind?: string;
  label?: string;
  title?: string;
  rules?: string;
};

/** venue_a: one event per ladder, one market per line. */
export function ladderA(ticker: string, title: string | null, markets: StrikeA[], scope?: string) {
  return {
    event_ticker: ticker,
    series_ticker: ticker.split('-')[0],
    title,
    mutually_exclusive: false,
    product_metadata: scope === undefined ? undefined : { competition_scope: scope },
    markets: markets.map((one) => ({
      ticker: `${ticker}-${one.suffix}`,
      title: one.title,
      yes_sub_title: one.label,
      no_sub_title: one.label,
      strike_type: one.kind ?? 'greater',
      floor_strike: one.floor,
      rules_primary: one.rules,
      close_time: '2026-09-22T17:00:00Z',
    })),
  };
}

type MarketB = {
  id: string;
  question: string;
  outcomes?: string[];
  type?: string;
  group?: string;
  line?: number;
  text?: string;
  closed?: boolean;
};

/**
 * venue_b: the event of the game or a side event, with markets of two outcomes. Tokens are `<id>:0`
 * and `<id>:1`.
 */
export function eventB(slug: string, title: string | null, markets: MarketB[]) {
  return {
    slug,
    title,
    markets: markets.map((one) => ({
      conditionId: one.id,
      slug: `${slug}-${one.id}`,
      question: one.question,
      groupItemTitle: one.group,
      sportsMarketType: one.type,
      line: one.line,
      description: one.text,
      closed: one.closed,
      outcomes: JSON.stringify(one.outcomes ?? ['Over', 'Under']),
      clobTokenIds: JSON.stringify([`${one.id}:0`, `${one.id}:1`]),
      endDate: '2026-09-20T17:00:00Z',
    })),
  };
}
