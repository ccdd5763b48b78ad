// Written by `npm run client` from /openapi.json of version 2.0.0. Do not change it here.

export interface Paths {
  '/health': {
    get: {
      parameters: {};
      responses: {
        200: {
          content: {
            'application/json': Health;
          };
        };
      };
    };
  };
  '/v2/markets': {
    get: {
      parameters: {
        query?: {
          /**
           * Only this category, in any case: `sports`, `weather`, `crypto`, `economics` … An unknown
           * category gives an empty list.
           */
          category?: string;
          /**
           * Only this sport, in any case, such as `football`, `basketball`, `soccer`, `tennis`,
           * `cs2`.
           */
          sport?: string;
          /**
           * Only this competition, in any case. Sports only.
           */
          competition?: string;
          /**
           * Deprecated: an alias of `competition`, which takes precedence.
           */
          league?: string;
          /**
           * Only this place, in any case, also by short names such as `NYC`. Weather only.
           */
          location?: string;
          /**
           * Only this asset, in any case, by name or symbol: `Bitcoin` or `BTC`. Crypto and
           * commodities.
           */
          asset?: string;
          /**
           * Only this economic indicator, in any case, also by its short name: `CPI`, `PCE`, `GDP`.
           */
          indicator?: string;
          /**
           * Only this basis of measurement, such as `touch`, in any case.
           */
          basis?: string;
          /**
           * Only this central bank, in any case, also by its short name: `Fed`, `FOMC`, `ECB`.
           */
          institution?: string;
          /**
           * Comma-separated or repeated. Default `open,live`; with `has_history=true`, `settled`;
           * with `ids`, every status.
           */
          status?: ('open' | 'live' | 'resolving' | 'closed' | 'settled')[];
          /**
           * `spread`: only spreads. `candidates`: pairs under review instead of the catalog. `arb`
           * is rejected: see `/v2/arbitrage`.
           */
          signal?: 'spread' | 'candidates';
          /**
           * `-start_time`: latest first. `-spread_pts`: widest gap first, unpriced last. Equal rows
           * are sorted by `id`.
           */
          sort?: 'start_time' | '-start_time' | '-spread_pts';
          /**
           * Blocks to add, comma-separated or repeated: `ids` of the venues, `depth` of the books,
           * `settlement` terms with their risks, `best` quotes across both venues after fees. Lists
           * only: `total` number of matches.
           */
          include?: ('ids' | 'depth' | 'settlement' | 'best' | 'total')[];
          /**
           * Needs `include=depth`: adds up to this many levels of each side of each book, and the
           * time of their reading. Deeper levels are sampled once per step; where the sample does
           * not fit the price, the best level is alone.
           */
          levels?: number;
          /**
           * Comma-separated or repeated; `all` removes the filter. Absent: `moneyline,outright`;
           * with a `category` other than `sports`, or with `location`, `asset`, `indicator`, `basis`
           * or `institution`: every type of that context.
           */
          market_type?: (
            | 'moneyline'
            | 'outright'
            | 'total'
            | 'spread'
            | 'team_total'
            | 'advance'
            | 'weather_high'
            | 'weather_low'
            | 'crypto_above'
            | 'fed_decision'
            | 'econ_print'
            | 'cb_decision'
            | 'all'
          )[];
          /**
           * Only rows of this match: the `id` of its moneyline.
           */
          game_id?: string;
          /**
           * Only resolved markets (`closed` or `settled`) with a price history; other statuses then
           * find nothing.
           */
          has_history?: boolean;
          /**
           * Minimum gap in points, as `spread_pts` has it. Rows without a gap do not match.
           */
          min_gap?: number;
          /**
           * Only markets whose `start_time` is at this time or later: epoch milliseconds or ISO
           * 8601.
           */
          starts_after?: string;
          /**
           * Only markets whose `start_time` is earlier than this time: epoch milliseconds or ISO
           * 8601.
           */
          starts_before?: string;
          /**
           * Only markets that changed in a snapshot later than this time, in prices, sizes or
           * identity: epoch milliseconds or ISO 8601. Send the `snapshot_at` of your previous
           * response.
           */
          updated_since?: string;
          /**
           * Only these markets: at most 100 ids, comma-separated or repeated, with or without
           * `mkt_`. The default of `status` and of `market_type` is then every value. Unknown ids
           * are omitted.
           */
          ids?: string[];
          /**
           * Page of the current snapshot, from 1. Rows can move between pages with each step; with
           * `cursor` none is lost.
           */
          page?: number;
          /**
           * Maximum number of rows.
           */
          limit?: number;
          /**
           * The `next_cursor` of the previous page, with the same sort and filters. Not together
           * with `page`. It works for at least two minutes after the first page; then 422
           * `cursor.expired`.
           */
          cursor?: string;
        };
      };
      responses: {
        200: {
          content: {
            'application/json': MarketList;
          };
        };
        304: {};
        401: {
          content: {
            'application/json': Error;
          };
        };
        402: {
          content: {
            'application/json': Error;
          };
        };
        422: {
          content: {
            'application/json': ValidationError;
          };
        };
        429: {
          content: {
            'application/json': RateError;
          };
        };
        503: {
          content: {
            'application/json': UnavailableError;
          };
        };
      };
    };
  };
  '/v2/pairs/{market_id}': {
    get: {
      parameters: {
        query?: {
          /**
           * Blocks to add, comma-separated or repeated: `ids` of the venues, `depth` of the books,
           * `settlement` terms with their risks, `best` quotes across both venues after fees. Lists
           * only: `total` number of matches.
           */
          include?: ('ids' | 'depth' | 'settlement' | 'best')[];
          /**
           * Needs `include=depth`: adds up to this many levels of each side of each book, and the
           * time of their reading. Deeper levels are sampled once per step; where the sample does
           * not fit the price, the best level is alone.
           */
          levels?: number;
        };
        path: {
          /**
           * The market: `mkt_<uuid>`, or the UUID without the prefix.
           */
          market_id: string;
        };
      };
      responses: {
        200: {
          content: {
            'application/json': Market;
          };
        };
        304: {};
        401: {
          content: {
            'application/json': Error;
          };
        };
        402: {
          content: {
            'application/json': Error;
          };
        };
        404: {
          content: {
            'application/json': Error;
          };
        };
        422: {
          content: {
            'application/json': ValidationError;
          };
        };
        429: {
          content: {
            'application/json': RateError;
          };
        };
        503: {
          content: {
            'application/json': UnavailableError;
          };
        };
      };
    };
  };
  '/v2/pairs/{market_id}/explanation': {
    get: {
      parameters: {
        path: {
          /**
           * The market: `mkt_<uuid>`, or the UUID without the prefix.
           */
          market_id: string;
        };
      };
      responses: {
        200: {
          content: {
            'application/json': Explanation;
          };
        };
        304: {};
        401: {
          content: {
            'application/json': Error;
          };
        };
        402: {
          content: {
            'application/json': Error;
          };
        };
        404: {
          content: {
            'application/json': Error;
          };
        };
        422: {
          content: {
            'application/json': ValidationError;
          };
        };
        429: {
          content: {
            'application/json': RateError;
          };
        };
        503: {
          content: {
            'application/json': UnavailableError;
          };
        };
      };
    };
  };
  '/v2/pairs/{market_id}/history': {
    get: {
      parameters: {
        query?: {
          /**
           * Start of the range, included: epoch milliseconds or ISO 8601.
           */
          from?: string;
          /**
           * End of the range, included: epoch milliseconds or ISO 8601.
           */
          to?: string;
          /**
           * Minutes from one point to the next.
           */
          bucket?: 1 | 5 | 60;
          /**
           * Values to add to each point, comma-separated or repeated: `bid` of both venues, `gap` of
           * the asks.
           */
          include?: ('bid' | 'gap')[];
        };
        path: {
          /**
           * The market: `mkt_<uuid>`, or the UUID without the prefix.
           */
          market_id: string;
        };
      };
      responses: {
        200: {
          content: {
            'application/json': History;
          };
        };
        304: {};
        401: {
          content: {
            'application/json': Error;
          };
        };
        402: {
          content: {
            'application/json': Error;
          };
        };
        404: {
          content: {
            'application/json': Error;
          };
        };
        422: {
          content: {
            'application/json': ValidationError;
          };
        };
        429: {
          content: {
            'application/json': RateError;
          };
        };
        503: {
          content: {
            'application/json': UnavailableError;
          };
        };
      };
    };
  };
  '/v2/arbitrage': {
    get: {
      parameters: {
        query?: {
          /**
           * Only this sport, in any case, such as `football`, `basketball`, `soccer`, `tennis`,
           * `cs2`.
           */
          sport?: string;
          /**
           * Only this category, in any case: `sports`, `weather`, `crypto`, `economics` … An unknown
           * category gives an empty list.
           */
          category?: string;
          /**
           * Only this competition, in any case. Sports only.
           */
          competition?: string;
          /**
           * Only these market types, comma-separated or repeated. Absent or with `all`: every type.
           */
          market_type?: (
            | 'moneyline'
            | 'outright'
            | 'total'
            | 'spread'
            | 'team_total'
            | 'advance'
            | 'weather_high'
            | 'weather_low'
            | 'crypto_above'
            | 'fed_decision'
            | 'econ_print'
            | 'cb_decision'
            | 'all'
          )[];
          /**
           * Only this market: `mkt_<uuid>`, or the UUID without the prefix.
           */
          market_id?: string;
          /**
           * Minimum `edge_pct`, in points of the $1 payout.
           */
          min_edge?: number;
          /**
           * Minimum `profit_usd`, in USD.
           */
          min_profit_usd?: number;
          /**
           * Only markets whose `start_time` is at this time or later: epoch milliseconds or ISO
           * 8601.
           */
          starts_after?: string;
          /**
           * Only markets whose `start_time` is earlier than this time: epoch milliseconds or ISO
           * 8601.
           */
          starts_before?: string;
          /**
           * `-edge_pct`, `-profit_usd`, `-annualized_pct`: the largest first.
           * `expected_settlement_at`: the earliest first. Rows without the value are last. Equal
           * rows are sorted by `edge_pct`, then `id`.
           */
          sort?: '-edge_pct' | '-profit_usd' | '-annualized_pct' | 'expected_settlement_at';
          /**
           * Blocks to add, comma-separated or repeated: `settlement` terms with their risks and both
           * rule texts, and `books`, the outcomes of the market with both books of each.
           */
          include?: ('settlement' | 'books')[];
          /**
           * Maximum number of rows.
           */
          limit?: number;
        };
      };
      responses: {
        200: {
          content: {
            'application/json': OpportunityList;
          };
        };
        304: {};
        401: {
          content: {
            'application/json': Error;
          };
        };
        402: {
          content: {
            'application/json': Error;
          };
        };
        422: {
          content: {
            'application/json': ValidationError;
          };
        };
        429: {
          content: {
            'application/json': RateError;
          };
        };
        503: {
          content: {
            'application/json': UnavailableError;
          };
        };
      };
    };
  };
  '/v2/arbitrage/history': {
    get: {
      parameters: {
        query?: {
          /**
           * Only this sport, in any case, such as `football`, `basketball`, `soccer`, `tennis`,
           * `cs2`.
           */
          sport?: string;
          /**
           * Only this category, in any case: `sports`, `weather`, `crypto`, `economics` … An unknown
           * category gives an empty list.
           */
          category?: string;
          /**
           * Only this competition, in any case. Sports only.
           */
          competition?: string;
          /**
           * Only these market types, comma-separated or repeated. Absent or with `all`: every type.
           */
          market_type?: (
            | 'moneyline'
            | 'outright'
            | 'total'
            | 'spread'
            | 'team_total'
            | 'advance'
            | 'weather_high'
            | 'weather_low'
            | 'crypto_above'
            | 'fed_decision'
            | 'econ_print'
            | 'cb_decision'
            | 'all'
          )[];
          /**
           * Only this market: `mkt_<uuid>`, or the UUID without the prefix.
           */
          market_id?: string;
          /**
           * Only opportunities that closed at this time or later: epoch milliseconds or ISO 8601.
           */
          since?: string;
          /**
           * Only opportunities that closed at this time or before: epoch milliseconds or ISO 8601.
           */
          until?: string;
          /**
           * Minimum `peak_edge_pct`, in points of the $1 payout.
           */
          min_edge?: number;
          /**
           * Only this `close_reason`, in any case, such as `edge.gone` or `book.gap`.
           */
          reason?: string;
          /**
           * Maximum number of rows.
           */
          limit?: number;
          /**
           * The `next_cursor` of the previous page, with the same filters. It does not expire.
           */
          cursor?: string;
        };
      };
      responses: {
        200: {
          content: {
            'application/json': PastOpportunityList;
          };
        };
        304: {};
        401: {
          content: {
            'application/json': Error;
          };
        };
        402: {
          content: {
            'application/json': Error;
          };
        };
        422: {
          content: {
            'application/json': ValidationError;
          };
        };
        429: {
          content: {
            'application/json': RateError;
          };
        };
        503: {
          content: {
            'application/json': UnavailableError;
          };
        };
      };
    };
  };
  '/v2/spreads': {
    get: {
      parameters: {
        query?: {
          /**
           * Only this category, in any case: `sports`, `weather`, `crypto`, `economics` … An unknown
           * category gives an empty list.
           */
          category?: string;
          /**
           * Only this sport, in any case, such as `football`, `basketball`, `soccer`, `tennis`,
           * `cs2`.
           */
          sport?: string;
          /**
           * Only this competition, in any case. Sports only.
           */
          competition?: string;
          /**
           * Only this place, in any case, also by short names such as `NYC`. Weather only.
           */
          location?: string;
          /**
           * Only this asset, in any case, by name or symbol: `Bitcoin` or `BTC`. Crypto and
           * commodities.
           */
          asset?: string;
          /**
           * Only this economic indicator, in any case, also by its short name: `CPI`, `PCE`, `GDP`.
           */
          indicator?: string;
          /**
           * Only this basis of measurement, such as `touch`, in any case.
           */
          basis?: string;
          /**
           * Only this central bank, in any case, also by its short name: `Fed`, `FOMC`, `ECB`.
           */
          institution?: string;
          /**
           * Minimum gap in points, as `spread_pts` has it. Rows without a gap do not match.
           */
          min_gap?: number;
          /**
           * Maximum number of rows.
           */
          limit?: number;
        };
      };
      responses: {
        200: {
          content: {
            'application/json': SpreadList;
          };
        };
        304: {};
        401: {
          content: {
            'application/json': Error;
          };
        };
        402: {
          content: {
            'application/json': Error;
          };
        };
        422: {
          content: {
            'application/json': ValidationError;
          };
        };
        429: {
          content: {
            'application/json': RateError;
          };
        };
        503: {
          content: {
            'application/json': UnavailableError;
          };
        };
      };
    };
  };
  '/v2/rules': {
    get: {
      parameters: {
        query?: {
          /**
           * Only rules of these market types, comma-separated or repeated.
           */
          family?: (
            | 'moneyline'
            | 'outright'
            | 'total'
            | 'spread'
            | 'team_total'
            | 'advance'
            | 'weather_high'
            | 'weather_low'
            | 'crypto_above'
            | 'fed_decision'
            | 'econ_print'
            | 'cb_decision'
          )[];
          /**
           * Only this competition, place or asset, by its name or its code in the `rule_id`, in any
           * case.
           */
          competition?: string;
          /**
           * Only rules in these states, comma-separated or repeated.
           */
          state?: ('confirmed' | 'pooled' | 'unconfirmed' | 'withdrawn' | 'refused')[];
          /**
           * `divergences`: the evidence of each divergence. A page then has at most 50 rules.
           */
          include?: 'divergences'[];
          /**
           * Maximum number of rows.
           */
          limit?: number;
          /**
           * The `next_cursor` of the previous page, with the same filters. It does not expire.
           */
          cursor?: string;
        };
      };
      responses: {
        200: {
          content: {
            'application/json': RuleList;
          };
        };
        304: {};
        401: {
          content: {
            'application/json': Error;
          };
        };
        402: {
          content: {
            'application/json': Error;
          };
        };
        422: {
          content: {
            'application/json': ValidationError;
          };
        };
        429: {
          content: {
            'application/json': RateError;
          };
        };
        503: {
          content: {
            'application/json': UnavailableError;
          };
        };
      };
    };
  };
  '/v2/track-record': {
    get: {
      parameters: {
        query?: {
          /**
           * Only opportunities that opened in this month, in UTC: `2026-11`.
           */
          month?: string;
          /**
           * Only this market type, in any case.
           */
          family?:
            | 'moneyline'
            | 'outright'
            | 'total'
            | 'spread'
            | 'team_total'
            | 'advance'
            | 'weather_high'
            | 'weather_low'
            | 'crypto_above'
            | 'fed_decision'
            | 'econ_print'
            | 'cb_decision';
          /**
           * Only this competition, in any case. Sports only.
           */
          competition?: string;
        };
      };
      responses: {
        200: {
          content: {
            'application/json': TrackRecord;
          };
        };
        304: {};
        422: {
          content: {
            'application/json': ValidationError;
          };
        };
        503: {
          content: {
            'application/json': UnavailableError;
          };
        };
      };
    };
  };
  '/v2/sample': {
    get: {
      parameters: {};
      responses: {
        200: {
          content: {
            'application/json': Sample;
          };
        };
        304: {};
        503: {
          content: {
            'application/json': UnavailableError;
          };
        };
      };
    };
  };
  '/v2/search': {
    get: {
      parameters: {
        query: {
          /**
           * Text to search for; must not be blank.
           */
          q: string;
          /**
           * Only this category, in any case: `sports`, `weather`, `crypto`, `economics` … An unknown
           * category gives an empty list.
           */
          category?: string;
          /**
           * Only this sport, in any case, such as `football`, `basketball`, `soccer`, `tennis`,
           * `cs2`.
           */
          sport?: string;
          /**
           * Comma-separated or repeated. Default `open,live`; with `has_history=true`, `settled`;
           * with `ids`, every status.
           */
          status?: ('open' | 'live' | 'resolving' | 'closed' | 'settled')[];
          /**
           * Page of the current snapshot, from 1. Rows can move between pages with each step; with
           * `cursor` none is lost.
           */
          page?: number;
          /**
           * Rows per page.
           */
          page_size?: number;
        };
      };
      responses: {
        200: {
          content: {
            'application/json': SearchResult;
          };
        };
        304: {};
        400: {
          content: {
            'application/json': Error;
          };
        };
        401: {
          content: {
            'application/json': Error;
          };
        };
        402: {
          content: {
            'application/json': Error;
          };
        };
        422: {
          content: {
            'application/json': ValidationError;
          };
        };
        429: {
          content: {
            'application/json': RateError;
          };
        };
        503: {
          content: {
            'application/json': UnavailableError;
          };
        };
      };
    };
  };
  '/v2/lookup': {
    get: {
      parameters: {
        query: {
          /**
           * Ids, at most 100, comma-separated or repeated, in any case: a ticker or event ticker of
           * venue_a, a condition id, token id or slug of venue_b, or a market id.
           */
          id: string[];
        };
      };
      responses: {
        200: {
          content: {
            'application/json': Lookup;
          };
        };
        304: {};
        401: {
          content: {
            'application/json': Error;
          };
        };
        402: {
          content: {
            'application/json': Error;
          };
        };
        422: {
          content: {
            'application/json': ValidationError;
          };
        };
        429: {
          content: {
            'application/json': RateError;
          };
        };
        503: {
          content: {
            'application/json': UnavailableError;
          };
        };
      };
    };
  };
  '/v2/categories': {
    get: {
      parameters: {};
      responses: {
        200: {
          content: {
            'application/json': CategoryList;
          };
        };
        304: {};
        401: {
          content: {
            'application/json': Error;
          };
        };
        402: {
          content: {
            'application/json': Error;
          };
        };
        429: {
          content: {
            'application/json': RateError;
          };
        };
        503: {
          content: {
            'application/json': UnavailableError;
          };
        };
      };
    };
  };
  '/v2/leagues': {
    get: {
      parameters: {};
      responses: {
        200: {
          content: {
            'application/json': LeagueList;
          };
        };
        304: {};
        401: {
          content: {
            'application/json': Error;
          };
        };
        402: {
          content: {
            'application/json': Error;
          };
        };
        429: {
          content: {
            'application/json': RateError;
          };
        };
        503: {
          content: {
            'application/json': UnavailableError;
          };
        };
      };
    };
  };
  '/v2/coverage': {
    get: {
      parameters: {};
      responses: {
        200: {
          content: {
            'application/json': Coverage;
          };
        };
        304: {};
        401: {
          content: {
            'application/json': Error;
          };
        };
        402: {
          content: {
            'application/json': Error;
          };
        };
        429: {
          content: {
            'application/json': RateError;
          };
        };
        503: {
          content: {
            'application/json': UnavailableError;
          };
        };
      };
    };
  };
  '/v2/export/{day}': {
    get: {
      parameters: {
        query?: {
          /**
           * Only files of these data sets, comma-separated or repeated. Default: all.
           */
          dataset?: ('updates' | 'opportunities' | 'pairs' | 'refusals' | 'verdicts')[];
          /**
           * Only files of these formats, comma-separated or repeated. Default: both.
           */
          format?: ('ndjson' | 'parquet')[];
        };
        path: {
          /**
           * The day in UTC: `2026-11-27`.
           */
          day: string;
        };
      };
      responses: {
        200: {
          content: {
            'application/json': ExportedDay;
          };
        };
        401: {
          content: {
            'application/json': Error;
          };
        };
        402: {
          content: {
            'application/json': Error;
          };
        };
        403: {
          content: {
            'application/json': Error;
          };
        };
        404: {
          content: {
            'application/json': Error;
          };
        };
        409: {
          content: {
            'application/json': Error;
          };
        };
        422: {
          content: {
            'application/json': ValidationError;
          };
        };
        429: {
          content: {
            'application/json': RateError;
          };
        };
        503: {
          content: {
            'application/json': UnavailableError;
          };
        };
      };
    };
  };
  '/v2/report-bad-arb': {
    post: {
      parameters: {};
      requestBody: {
        content: {
          'application/json': {
            /**
             * The `id` of an Opportunity. Its evidence is stored with the report.
             */
            opp_id?: string | null;
            /**
             * The reason in a few words.
             */
            reason?: string | null;
            /**
             * The sport, if there is no `opp_id`.
             */
            sport?: string | null;
            /**
             * The market or game.
             */
            market?: string | null;
            /**
             * More details.
             */
            detail?: string | null;
          };
        };
      };
      responses: {
        202: {
          content: {
            'application/json': Received;
          };
        };
        400: {
          content: {
            'application/json': Error;
          };
        };
        401: {
          content: {
            'application/json': Error;
          };
        };
        402: {
          content: {
            'application/json': Error;
          };
        };
        403: {
          content: {
            'application/json': Error;
          };
        };
        409: {
          content: {
            'application/json': Error;
          };
        };
        413: {
          content: {
            'application/json': Error;
          };
        };
        422: {
          content: {
            'application/json': ValidationError;
          };
        };
        429: {
          content: {
            'application/json': RateError;
          };
        };
        503: {
          content: {
            'application/json': UnavailableError;
          };
        };
      };
    };
  };
  '/v1/stream/token': {
    post: {
      parameters: {};
      responses: {
        200: {
          content: {
            'application/json': StreamTicket;
          };
        };
        401: {
          content: {
            'application/json': Error;
          };
        };
        402: {
          content: {
            'application/json': Error;
          };
        };
        429: {
          content: {
            'application/json': RateError;
          };
        };
        503: {
          content: {
            'application/json': UnavailableError;
          };
        };
      };
    };
  };
  '/v1/stream/replay': {
    get: {
      parameters: {
        query: {
          /**
           * The channel: one of the ticket’s `allowed.channels`.
           */
          channel: string;
          /**
           * The epoch of your channel position, from a broadcast or a subscription.
           */
          epoch?: string;
          /**
           * The offset of your last frame; 0: none.
           */
          after?: number;
        };
      };
      responses: {
        200: {
          content: {
            'application/json': StreamReplay;
          };
        };
        401: {
          content: {
            'application/json': Error;
          };
        };
        402: {
          content: {
            'application/json': Error;
          };
        };
        404: {
          content: {
            'application/json': Error;
          };
        };
        422: {
          content: {
            'application/json': ValidationError;
          };
        };
        429: {
          content: {
            'application/json': RateError;
          };
        };
        503: {
          content: {
            'application/json': UnavailableError;
          };
        };
      };
    };
  };
  '/v1/stream/state': {
    get: {
      parameters: {
        query: {
          /**
           * The channel: one of the ticket’s `allowed.channels`.
           */
          channel: string;
        };
      };
      responses: {
        200: {
          content: {
            'application/json': StreamState;
          };
        };
        401: {
          content: {
            'application/json': Error;
          };
        };
        402: {
          content: {
            'application/json': Error;
          };
        };
        404: {
          content: {
            'application/json': Error;
          };
        };
        422: {
          content: {
            'application/json': ValidationError;
          };
        };
        429: {
          content: {
            'application/json': RateError;
          };
        };
        503: {
          content: {
            'application/json': UnavailableError;
          };
        };
      };
    };
  };
  '/v1/account': {
    get: {
      parameters: {};
      responses: {
        200: {
          content: {
            'application/json': Account;
          };
        };
        401: {
          content: {
            'application/json': Error;
          };
        };
        402: {
          content: {
            'application/json': Error;
          };
        };
        429: {
          content: {
            'application/json': RateError;
          };
        };
        503: {
          content: {
            'application/json': UnavailableError;
          };
        };
      };
    };
  };
  '/v2/mcp/': {
    post: {
      parameters: {};
      requestBody: {
        content: {
          /**
           * One JSON-RPC message.
           */
          'application/json': {
            jsonrpc: '2.0';
            /**
             * Returned with the response. A notification has none.
             */
            id?: string | number;
            /**
             * Such as `initialize`, `tools/list` or `tools/call`.
             */
            method: string;
            /**
             * The parameters of the method.
             */
            params?: {};
          };
        };
      };
      responses: {
        200: {
          content: {
            'application/json': unknown;
          };
        };
        202: {
          content: {
            'application/json': unknown;
          };
        };
        401: {
          content: {
            'application/json': Error;
          };
        };
        402: {
          content: {
            'application/json': Error;
          };
        };
        413: {
          content: {
            'application/json': Error;
          };
        };
        429: {
          content: {
            'application/json': RateError;
          };
        };
        503: {
          content: {
            'application/json': UnavailableError;
          };
        };
      };
    };
  };
  '/v1/webhooks': {
    post: {
      parameters: {};
      requestBody: {
        content: {
          'application/json': {
            /**
             * The receiver of deliveries: `https://`, a host with public addresses only (the API looks
             * it up), no credentials, no fragment, at most 2,048 characters.
             */
            url: string;
            /**
             * The events to deliver. `ping` needs no subscription.
             */
            events: ('pair.created' | 'spread.threshold' | 'opportunity.opened')[];
            /**
             * Only with `spread.threshold`: the gap in points that fires it.
             */
            min_spread_pts?: number | null;
            /**
             * Only with `opportunity.opened`: the smallest `edge_pct` of an Opportunity that fires it.
             * Default: any.
             */
            min_edge_pct?: number | null;
            /**
             * Only with `opportunity.opened`: the smallest profit in USD at `max_contracts`
             * (`max_contracts` - `max_wager_usd`) that fires it. Default: any.
             */
            min_profit_usd?: number | null;
          };
        };
      };
      responses: {
        201: {
          content: {
            'application/json': WebhookSecret;
          };
        };
        400: {
          content: {
            'application/json': Error;
          };
        };
        401: {
          content: {
            'application/json': Error;
          };
        };
        402: {
          content: {
            'application/json': Error;
          };
        };
        403: {
          content: {
            'application/json': Error;
          };
        };
        409: {
          content: {
            'application/json': Error;
          };
        };
        413: {
          content: {
            'application/json': Error;
          };
        };
        422: {
          content: {
            'application/json': ValidationError;
          };
        };
        429: {
          content: {
            'application/json': RateError;
          };
        };
        503: {
          content: {
            'application/json': UnavailableError;
          };
        };
      };
    };
    get: {
      parameters: {};
      responses: {
        200: {
          content: {
            'application/json': WebhookList;
          };
        };
        401: {
          content: {
            'application/json': Error;
          };
        };
        402: {
          content: {
            'application/json': Error;
          };
        };
        403: {
          content: {
            'application/json': Error;
          };
        };
        429: {
          content: {
            'application/json': RateError;
          };
        };
        503: {
          content: {
            'application/json': UnavailableError;
          };
        };
      };
    };
  };
  '/v1/webhooks/{id}': {
    patch: {
      parameters: {
        path: {
          /**
           * The `id` of the endpoint.
           */
          id: string;
        };
      };
      requestBody: {
        content: {
          'application/json': {
            /**
             * The receiver of deliveries: `https://`, a host with public addresses only (the API looks
             * it up), no credentials, no fragment, at most 2,048 characters.
             */
            url?: string;
            /**
             * The events to deliver. `ping` needs no subscription.
             */
            events?: ('pair.created' | 'spread.threshold' | 'opportunity.opened')[];
            /**
             * Only with `spread.threshold`: the gap in points that fires it.
             */
            min_spread_pts?: number | null;
            /**
             * Only with `opportunity.opened`: the smallest `edge_pct` of an Opportunity that fires it.
             * Default: any.
             */
            min_edge_pct?: number | null;
            /**
             * Only with `opportunity.opened`: the smallest profit in USD at `max_contracts`
             * (`max_contracts` - `max_wager_usd`) that fires it. Default: any.
             */
            min_profit_usd?: number | null;
            /**
             * Enables an endpoint that was disabled after failed deliveries. `failure_count` starts at
             * 0 again.
             */
            status?: 'enabled';
          };
        };
      };
      responses: {
        200: {
          content: {
            'application/json': Webhook;
          };
        };
        400: {
          content: {
            'application/json': Error;
          };
        };
        401: {
          content: {
            'application/json': Error;
          };
        };
        402: {
          content: {
            'application/json': Error;
          };
        };
        403: {
          content: {
            'application/json': Error;
          };
        };
        404: {
          content: {
            'application/json': Error;
          };
        };
        409: {
          content: {
            'application/json': Error;
          };
        };
        413: {
          content: {
            'application/json': Error;
          };
        };
        422: {
          content: {
            'application/json': ValidationError;
          };
        };
        429: {
          content: {
            'application/json': RateError;
          };
        };
        503: {
          content: {
            'application/json': UnavailableError;
          };
        };
      };
    };
    delete: {
      parameters: {
        path: {
          /**
           * The `id` of the endpoint.
           */
          id: string;
        };
      };
      responses: {
        204: {};
        401: {
          content: {
            'application/json': Error;
          };
        };
        402: {
          content: {
            'application/json': Error;
          };
        };
        403: {
          content: {
            'application/json': Error;
          };
        };
        404: {
          content: {
            'application/json': Error;
          };
        };
        422: {
          content: {
            'application/json': ValidationError;
          };
        };
        429: {
          content: {
            'application/json': RateError;
          };
        };
        503: {
          content: {
            'application/json': UnavailableError;
          };
        };
      };
    };
  };
  '/v1/webhooks/{id}/roll': {
    post: {
      parameters: {
        path: {
          /**
           * The `id` of the endpoint.
           */
          id: string;
        };
      };
      responses: {
        200: {
          content: {
            'application/json': WebhookRoll;
          };
        };
        401: {
          content: {
            'application/json': Error;
          };
        };
        402: {
          content: {
            'application/json': Error;
          };
        };
        403: {
          content: {
            'application/json': Error;
          };
        };
        404: {
          content: {
            'application/json': Error;
          };
        };
        409: {
          content: {
            'application/json': Error;
          };
        };
        422: {
          content: {
            'application/json': ValidationError;
          };
        };
        429: {
          content: {
            'application/json': RateError;
          };
        };
        503: {
          content: {
            'application/json': UnavailableError;
          };
        };
      };
    };
  };
  '/v1/webhooks/{id}/test': {
    post: {
      parameters: {
        path: {
          /**
           * The `id` of the endpoint.
           */
          id: string;
        };
      };
      responses: {
        202: {
          content: {
            'application/json': WebhookDeliveryId;
          };
        };
        401: {
          content: {
            'application/json': Error;
          };
        };
        402: {
          content: {
            'application/json': Error;
          };
        };
        403: {
          content: {
            'application/json': Error;
          };
        };
        404: {
          content: {
            'application/json': Error;
          };
        };
        409: {
          content: {
            'application/json': Error;
          };
        };
        422: {
          content: {
            'application/json': ValidationError;
          };
        };
        429: {
          content: {
            'application/json': RateError;
          };
        };
        503: {
          content: {
            'application/json': UnavailableError;
          };
        };
      };
    };
  };
  '/v1/webhooks/{id}/deliveries': {
    get: {
      parameters: {
        query?: {
          /**
           * Only deliveries in this state.
           */
          state?: 'waiting' | 'delivered' | 'failed' | 'dropped';
          /**
           * Maximum number of rows.
           */
          limit?: number;
          /**
           * The `next_cursor` of the previous page, with the same `state`. It works for seven days.
           */
          cursor?: string;
        };
        path: {
          /**
           * The `id` of the endpoint.
           */
          id: string;
        };
      };
      responses: {
        200: {
          content: {
            'application/json': WebhookDeliveries;
          };
        };
        401: {
          content: {
            'application/json': Error;
          };
        };
        402: {
          content: {
            'application/json': Error;
          };
        };
        403: {
          content: {
            'application/json': Error;
          };
        };
        404: {
          content: {
            'application/json': Error;
          };
        };
        422: {
          content: {
            'application/json': ValidationError;
          };
        };
        429: {
          content: {
            'application/json': RateError;
          };
        };
        503: {
          content: {
            'application/json': UnavailableError;
          };
        };
      };
    };
  };
  '/v1/webhooks/{id}/deliveries/{delivery_id}/retry': {
    post: {
      parameters: {
        path: {
          /**
           * The `id` of the endpoint.
           */
          id: string;
          /**
           * The `delivery_id` of a delivery to the endpoint.
           */
          delivery_id: string;
        };
      };
      responses: {
        202: {
          content: {
            'application/json': WebhookDeliveryId;
          };
        };
        401: {
          content: {
            'application/json': Error;
          };
        };
        402: {
          content: {
            'application/json': Error;
          };
        };
        403: {
          content: {
            'application/json': Error;
          };
        };
        404: {
          content: {
            'application/json': Error;
          };
        };
        409: {
          content: {
            'application/json': Error;
          };
        };
        422: {
          content: {
            'application/json': ValidationError;
          };
        };
        429: {
          content: {
            'application/json': RateError;
          };
        };
        503: {
          content: {
            'application/json': UnavailableError;
          };
        };
      };
    };
  };
  '/openapi.json': {
    get: {
      parameters: {};
      responses: {
        200: {
          content: {
            'application/json': unknown;
          };
        };
      };
    };
  };
}
/**
 * State of the service and its feeds.
 */
export interface Health {
  /**
   * `degraded`: no database, or a venue is not `up`.
   */
  status: 'ok' | 'degraded';
  /**
   * Version of the API.
   */
  version: string;
  /**
   * Market time. A simulation or a replay has its own.
   */
  time: string;
  /**
   * State of the feed of each venue.
   */
  venues: {
    venue_a: Feed;
    venue_b: Feed;
  };
}
/**
 * State of the feed of one venue.
 */
export interface Feed {
  /**
   * `up`: a message within the last minute. `stale`: no message for a minute, no sign of
   * life for 20 seconds, or no worker reads its order books. `down`: no sign of life for 30
   * seconds; its prices are void. `unknown`: no database.
   */
  state: 'up' | 'stale' | 'down' | 'unknown';
  /**
   * Source of the data: the live venue, a simulation or a replay.
   */
  source: ('live' | 'simulated' | 'replay') | null;
  /**
   * Time of the last message; null where it is unknown.
   */
  last_message_at: string | null;
  /**
   * How the order books are read, and what limits it, separated by commas: `websocket` or
   * `polling`; `key refused (401)`, `single books`, `venue paused`, `index 2 paused`. Null
   * where it is unknown.
   */
  detail: string | null;
}
/**
 * A page of the matched catalog.
 */
export interface MarketList {
  /**
   * Number of `markets` in this response.
   */
  count: number;
  /**
   * With `include=total`: markets that match all filters, on all pages. Constant over a
   * paging by `cursor`, but for rows that leave the catalog.
   */
  total?: number;
  /**
   * The filter of the request.
   */
  category: string | null;
  /**
   * The filter of the request.
   */
  sport: string | null;
  /**
   * Whether another page follows.
   */
  has_more: boolean;
  /**
   * Opaque. Send it as `cursor` for the next page, within two minutes of the first page;
   * null at the end.
   */
  next_cursor: string | null;
  /**
   * Time of the prices.
   */
  snapshot_at: string;
  /**
   * Age of the REST snapshot against market time, in seconds.
   */
  delay_seconds: number;
  /**
   * In the requested order.
   */
  markets: Market[];
}
/**
 * One question that both venues list. Blocks that were not requested are absent, not null.
 */
export interface Market {
  /**
   * Stable. As an input, the UUID without the prefix is accepted as well.
   */
  id: string;
  /**
   * For URLs that people read.
   */
  slug: string | null;
  /**
   * `sports`, `weather`, `crypto`, `economics` …
   */
  category: string;
  /**
   * The family of question.
   */
  market_type:
    | 'moneyline'
    | 'outright'
    | 'total'
    | 'spread'
    | 'team_total'
    | 'advance'
    | 'weather_high'
    | 'weather_low'
    | 'crypto_above'
    | 'fed_decision'
    | 'econ_print'
    | 'cb_decision';
  /**
   * Sports only: the broad sport, such as `football`.
   */
  sport: string | null;
  /**
   * Sports only: the league or cup, such as `NFL`.
   */
  competition: string | null;
  /**
   * Weather only: the place.
   */
  location: string | null;
  /**
   * Crypto and commodities: the asset.
   */
  asset: string | null;
  /**
   * Economic releases: the indicator.
   */
  indicator: string | null;
  /**
   * The measured quantity, or the station or source by which each venue settles, where that
   * matters. `touch`: each outcome is a price level that pays if the price reaches it at any
   * time, so several can pay, or none.
   */
  basis: string | null;
  /**
   * Central-bank decisions: the institution.
   */
  institution: string | null;
  /**
   * Normalized words for discovery only.
   */
  tags: string[];
  /**
   * Title for people. It comes from the venues: display it as text.
   */
  title: string;
  /**
   * Home side, or the first named side; null outside of games.
   */
  home: string | null;
  /**
   * Away side, or the second named side; null outside of games.
   */
  away: string | null;
  /**
   * Start of the event; without a scheduled event, the earlier close time of the two venues.
   */
  start_time: string;
  /**
   * State of the market; `settled` when both venues are final.
   */
  status: 'open' | 'live' | 'resolving' | 'closed' | 'settled';
  /**
   * `review` for candidates, which are not in the catalog.
   */
  match: 'high_confidence' | 'review';
  /**
   * `arb`: all four gates are open (band, parity, risk, priced). `spread`: a price gap with
   * its settlement risks.
   */
  signal: 'spread' | 'arb';
  /**
   * The largest gap between the asks of both venues over the outcomes, in points (cents of
   * the $1 payout), exact. Null without prices.
   */
  spread_pts: number | null;
  /**
   * Gross return from the asks in percent, before fees, two decimals; may be zero or
   * negative. Null unless `signal` is `arb`.
   */
  potential_arb_pct: number | null;
  /**
   * Venues with prices in this row.
   */
  coverage: {
    /**
     * Whether venue_a is priced.
     */
    venue_a: boolean;
    /**
     * Whether venue_b is priced.
     */
    venue_b: boolean;
  };
  /**
   * Empty without prices.
   */
  outcomes: Outcome[];
  /**
   * Null until settled.
   */
  result: Result | null;
  /**
   * Last change of the pair’s identity.
   */
  updated_at: string;
  /**
   * Last change of these prices; `updated_at` without prices.
   */
  priced_at: string;
  /**
   * Pages of the event on the venues; null where no public URL is known.
   */
  links: {
    /**
     * Page of the event on venue_a.
     */
    venue_a: string | null;
    /**
     * Page of the event on venue_b.
     */
    venue_b: string | null;
  };
  /**
   * Games only: the betting line of the total or spread, from the view of `outcomes[0]`,
   * with its sign.
   */
  line?: number | null;
  /**
   * Games only: the `id` of the game that the market belongs to.
   */
  game_id?: string | null;
  /**
   * Ladders only: the close times of both venues, unchanged.
   */
  closes?: {
    /**
     * Close time on venue_a.
     */
    venue_a: string | null;
    /**
     * Close time on venue_b; for the temperatures of a day, not before the day ends in its
     * city.
     */
    venue_b: string | null;
  };
  /**
   * Ladders only: all strikes of venue_a in its order.
   */
  venue_a_ladder?: {
    /**
     * Range or threshold, as venue_a labels it.
     */
    label: string;
    /**
     * Ask in USD; null without one.
     */
    venue_a: number | null;
  }[];
  /**
   * Outcomes that the market does not cover.
   */
  factors?: {
    /**
     * Outcomes of venue_a in this event that the market omits.
     */
    left_out_a?: {
      /**
       * Name of the outcome on the venue.
       */
      name: string;
      /**
       * Code: why it has no counterpart.
       */
      why: string;
    }[];
    /**
     * Outcomes of venue_b in this event that the market omits.
     */
    left_out_b?: {
      /**
       * Name of the outcome on the venue.
       */
      name: string;
      /**
       * Code: why it has no counterpart.
       */
      why: string;
    }[];
    /**
     * Share of the venue_b range that venue_a covers.
     */
    poly_leg_coverage?: number;
    /**
     * Names of the venue_b outcomes that venue_a does not cover.
     */
    uncovered_legs?: string[];
  };
  /**
   * With `include=ids`: ids of the venues.
   */
  venues?: {
    /**
     * Ids of venue_a.
     */
    venue_a: {
      /**
       * Event ticker of venue_a.
       */
      event_ticker: string;
    };
    /**
     * Ids of venue_b.
     */
    venue_b: {
      /**
       * Condition id of venue_b.
       */
      condition_id: string | null;
      /**
       * Slug of the event on venue_b.
       */
      slug: string | null;
    };
  };
  /**
   * With `include=ids`: confidence of the match.
   */
  confidence?: {
    /**
     * That both listings concern the same event or figure.
     */
    entity: number;
    /**
     * That both listings resolve by the same question.
     */
    resolution: number;
  };
  settlement?: Settlement;
  /**
   * With `include=best`: one for each outcome, in their order; empty without prices.
   */
  best?: {
    /**
     * The `key` of the outcome.
     */
    outcome: string;
    /**
     * The lowest `net` to buy; null without an ask whose fee is known.
     */
    buy: BestQuote | null;
    /**
     * The highest `net` to sell; null without a bid whose fee is known.
     */
    sell: BestQuote | null;
  }[];
  /**
   * With `include=best`: what one contract of every `buy` leaves of the $1 that they pay
   * together, in points. Mostly negative; only `/v2/arbitrage` has confirmed arbitrage. Null
   * where an outcome has no `buy`, and where one of each may not return $1.
   */
  best_edge_pct?: number | null;
  /**
   * With `levels`: when this service read the books, to the millisecond and not rounded.
   */
  levels_read_at?: {
    /**
     * When the books of venue_a were read; null without prices.
     */
    venue_a: string | null;
    /**
     * When the books of venue_b were read; null without prices.
     */
    venue_b: string | null;
  };
}
/**
 * One outcome with the asks of both venues.
 */
export interface Outcome {
  /**
   * ASCII slug of the full name (`max-holloway`), unique in the market and stable for the
   * life of the pair.
   */
  key: string;
  /**
   * Name for people. It comes from the venues: display it as text.
   */
  name: string;
  /**
   * Ask on venue_a in USD: of YES, or of NO where the NO side pays for this outcome
   * (`venue_a_book.side`). Null without one.
   */
  venue_a: number | null;
  /**
   * Ask on venue_b for the outcome token, in USD; null without one.
   */
  venue_b: number | null;
  /**
   * Venue with the lower ask; null where one is missing or both are equal.
   */
  cheaper: ('venue_a' | 'venue_b') | null;
  /**
   * Ladders only. `EXACT`: both venues have the same range. `OVERLAPS`: the ranges overlap,
   * so there is no venue_a price. `DERIVED`: bounded by thresholds of venue_a, with a
   * venue_b price only.
   */
  relation?: 'EXACT' | 'OVERLAPS' | 'DERIVED';
  /**
   * With `OVERLAPS`: labels of the venue_a ranges that overlap this venue_b range.
   */
  venue_a_span?: string[];
  /**
   * With `include=depth`. Null where venue_a has no contract for the outcome.
   */
  venue_a_book?: VenueABook | null;
  /**
   * With `include=depth`. Null where venue_b has no contract for the outcome.
   */
  venue_b_book?: VenueBBook | null;
}
/**
 * Top of the venue_a book of an outcome.
 */
export interface VenueABook {
  /**
   * Best ask in USD, equal to the `venue_a` or `venue_b` of the outcome. Null without one.
   */
  ask: number | null;
  /**
   * Best bid in USD; null without one.
   */
  bid: number | null;
  /**
   * Contracts offered at the ask, with a precision of 0.01; null where unknown.
   */
  depth: number | null;
  /**
   * Contracts wanted at the bid, with a precision of 0.01; null where unknown.
   */
  bid_depth: number | null;
  /**
   * With `levels`: up to that many levels of each side; the best one alone where no sample
   * fits the price.
   */
  levels?: {
    /**
     * Lowest price first; empty without an ask.
     */
    asks: {
      /**
       * Price in USD.
       */
      price: number;
      /**
       * Contracts at the price, with a precision of 0.01; null where unknown.
       */
      size: number | null;
    }[];
    /**
     * Highest price first; empty without a bid.
     */
    bids: {
      /**
       * Price in USD.
       */
      price: number;
      /**
       * Contracts at the price, with a precision of 0.01; null where unknown.
       */
      size: number | null;
    }[];
  };
  /**
   * Contract ticker of venue_a.
   */
  ticker: string;
  /**
   * The side of `ticker` that pays for this outcome. All values of this book are of that
   * side. `no` where one contract prices two outcomes: the ask is 1 minus the best YES bid.
   */
  side: 'yes' | 'no';
}
/**
 * Top of the venue_b book of an outcome.
 */
export interface VenueBBook {
  /**
   * Best ask in USD, equal to the `venue_a` or `venue_b` of the outcome. Null without one.
   */
  ask: number | null;
  /**
   * Best bid in USD; null without one.
   */
  bid: number | null;
  /**
   * Contracts offered at the ask, with a precision of 0.01; null where unknown.
   */
  depth: number | null;
  /**
   * Contracts wanted at the bid, with a precision of 0.01; null where unknown.
   */
  bid_depth: number | null;
  /**
   * With `levels`: up to that many levels of each side; the best one alone where no sample
   * fits the price.
   */
  levels?: {
    /**
     * Lowest price first; empty without an ask.
     */
    asks: {
      /**
       * Price in USD.
       */
      price: number;
      /**
       * Contracts at the price, with a precision of 0.01; null where unknown.
       */
      size: number | null;
    }[];
    /**
     * Highest price first; empty without a bid.
     */
    bids: {
      /**
       * Price in USD.
       */
      price: number;
      /**
       * Contracts at the price, with a precision of 0.01; null where unknown.
       */
      size: number | null;
    }[];
  };
  /**
   * Outcome token id of venue_b.
   */
  token_id: string;
}
/**
 * Result of a settled market.
 */
export interface Result {
  /**
   * How the venues settled: equally, differently, or not in whole contracts (void, fair
   * price).
   */
  verdict: 'agree' | 'diverge' | 'edge_case';
  /**
   * Null where the payouts cannot be compared.
   */
  venues_agree: boolean | null;
  /**
   * Whether neither venue paid whole contracts.
   */
  void: boolean;
  /**
   * Keys of the outcomes that paid; empty where the venues diverge.
   */
  winners: string[];
  /**
   * Settlement time of the later venue.
   */
  settled_at: string;
}
/**
 * With `include=settlement`.
 */
export interface Settlement {
  /**
   * Whether the resolution rule of the pair is confirmed: all settled pairs of the rule
   * agreed.
   */
  parity: boolean;
  /**
   * Worst first.
   */
  risks: Risk[];
  /**
   * Rule text of venue_a.
   */
  venue_a_text: string | null;
  /**
   * Rule text of venue_b.
   */
  venue_b_text: string | null;
  /**
   * Null until settled; then equal to `result.verdict`.
   */
  verdict: ('agree' | 'diverge' | 'edge_case') | null;
}
/**
 * A way in which the two contracts may settle differently.
 */
export interface Risk {
  /**
   * Stable code, such as `postponement_window` or `settlement_source`. Risks of cancellation
   * are not listed; they count for the signal.
   */
  event: string;
  /**
   * `high` and `critical` set `signal` to `spread`, with any prices.
   */
  severity: 'low' | 'medium' | 'high' | 'critical';
  /**
   * The difference as a sentence.
   */
  note: string;
}
/**
 * The best price for an outcome over both venues, after fees.
 */
export interface BestQuote {
  /**
   * The venue with the better net price.
   */
  venue: 'venue_a' | 'venue_b';
  /**
   * Ticker of venue_a, or token id of venue_b.
   */
  contract: string | null;
  /**
   * The side of the ticker that pays for the outcome; null on venue_b.
   */
  side: ('yes' | 'no') | null;
  /**
   * The ask to buy at, or the bid to sell at, in USD.
   */
  price: number;
  /**
   * Taker fee of one contract at this price in USD. A waiver of fees does not count.
   */
  fee: number;
  /**
   * USD for one contract: `price` plus `fee` to buy, `price` minus `fee` to sell.
   */
  net: number;
  /**
   * Contracts at the price, with a precision of 0.01; null where unknown.
   */
  size: number | null;
}
/**
 * An error.
 */
export interface Error {
  /**
   * A sentence with the problem and the next step.
   */
  error: string;
  /**
   * Stable, for programs.
   */
  code:
    | 'auth.missing_key'
    | 'auth.malformed_key'
    | 'auth.revoked_key'
    | 'auth.expired_key'
    | 'auth.read_only_key'
    | 'metrics.missing_key'
    | 'metrics.wrong_key'
    | 'billing.inactive'
    | 'webhook.tier'
    | 'stream.tier'
    | 'webhook.not_found'
    | 'delivery.not_found'
    | 'webhook.disabled'
    | 'webhook.busy'
    | 'webhook.tests'
    | 'delivery.not_failed'
    | 'webhook.limit'
    | 'change.limit'
    | 'export.tier'
    | 'export.not_found'
    | 'export.not_ready'
    | 'pair.not_found'
    | 'channel.not_found'
    | 'route.not_found'
    | 'method.not_allowed'
    | 'body.too_large'
    | 'body.not_json'
    | 'body.too_deep'
    | 'body.bad_text'
    | 'search.blank'
    | 'report.empty'
    | 'report.limit'
    | 'watch.limit'
    | 'url.too_long'
    | 'rate.window'
    | 'rate.quota'
    | 'internal'
    | 'admission.full'
    | 'database.unavailable'
    | 'storage.unavailable';
  /**
   * Send this id with a question to us. Also in `X-Request-Id`.
   */
  request_id: string;
}
/**
 * A parameter or field has an invalid value.
 */
export interface ValidationError {
  /**
   * The first problem as a sentence.
   */
  error: string;
  /**
   * Every 422 has this code. `detail[].type` names the problem.
   */
  code: 'validation';
  /**
   * One per problem.
   */
  detail: {
    /**
     * Location, such as `["query", "limit"]`.
     */
    loc: (string | number)[];
    /**
     * The problem as a sentence.
     */
    msg: string;
    /**
     * Stable type of the problem: `int_parsing`, `enum`, `greater_than_equal`, `missing`,
     * `cursor.expired` …
     */
    type: string;
    /**
     * The rejected value.
     */
    input: {
      [k: string]: unknown;
    };
    /**
     * The accepted values: `{"ge": 1}`, `{"expected": "…"}`.
     */
    ctx: {
      [k: string]: unknown;
    };
  }[];
  /**
   * Send this id with a question to us. Also in `X-Request-Id`.
   */
  request_id: string;
}
/**
 * A limit was reached.
 */
export interface RateError {
  /**
   * A sentence with the problem and the next step.
   */
  error: string;
  /**
   * Stable, for programs.
   */
  code:
    | 'auth.missing_key'
    | 'auth.malformed_key'
    | 'auth.revoked_key'
    | 'auth.expired_key'
    | 'auth.read_only_key'
    | 'metrics.missing_key'
    | 'metrics.wrong_key'
    | 'billing.inactive'
    | 'webhook.tier'
    | 'stream.tier'
    | 'webhook.not_found'
    | 'delivery.not_found'
    | 'webhook.disabled'
    | 'webhook.busy'
    | 'webhook.tests'
    | 'delivery.not_failed'
    | 'webhook.limit'
    | 'change.limit'
    | 'export.tier'
    | 'export.not_found'
    | 'export.not_ready'
    | 'pair.not_found'
    | 'channel.not_found'
    | 'route.not_found'
    | 'method.not_allowed'
    | 'body.too_large'
    | 'body.not_json'
    | 'body.too_deep'
    | 'body.bad_text'
    | 'search.blank'
    | 'report.empty'
    | 'report.limit'
    | 'watch.limit'
    | 'url.too_long'
    | 'rate.window'
    | 'rate.quota'
    | 'internal'
    | 'admission.full'
    | 'database.unavailable'
    | 'storage.unavailable';
  /**
   * Send this id with a question to us. Also in `X-Request-Id`.
   */
  request_id: string;
  /**
   * The organization’s tier.
   */
  tier: 'free' | 'basic' | 'premium' | 'pro';
  /**
   * Limit of the tier in `window`.
   */
  quota: number;
  /**
   * Requests counted in `window`.
   */
  count: number;
  /**
   * The limit that was reached.
   */
  window: '60s' | 'month';
  /**
   * Whole seconds to wait before the next attempt.
   */
  retry_after: number;
  /**
   * With `month`: start of the next month.
   */
  resets_at?: string;
}
/**
 * The request may succeed soon.
 */
export interface UnavailableError {
  /**
   * A sentence with the problem and the next step.
   */
  error: string;
  /**
   * Stable, for programs.
   */
  code:
    | 'auth.missing_key'
    | 'auth.malformed_key'
    | 'auth.revoked_key'
    | 'auth.expired_key'
    | 'auth.read_only_key'
    | 'metrics.missing_key'
    | 'metrics.wrong_key'
    | 'billing.inactive'
    | 'webhook.tier'
    | 'stream.tier'
    | 'webhook.not_found'
    | 'delivery.not_found'
    | 'webhook.disabled'
    | 'webhook.busy'
    | 'webhook.tests'
    | 'delivery.not_failed'
    | 'webhook.limit'
    | 'change.limit'
    | 'export.tier'
    | 'export.not_found'
    | 'export.not_ready'
    | 'pair.not_found'
    | 'channel.not_found'
    | 'route.not_found'
    | 'method.not_allowed'
    | 'body.too_large'
    | 'body.not_json'
    | 'body.too_deep'
    | 'body.bad_text'
    | 'search.blank'
    | 'report.empty'
    | 'report.limit'
    | 'watch.limit'
    | 'url.too_long'
    | 'rate.window'
    | 'rate.quota'
    | 'internal'
    | 'admission.full'
    | 'database.unavailable'
    | 'storage.unavailable';
  /**
   * Send this id with a question to us. Also in `X-Request-Id`.
   */
  request_id: string;
  /**
   * Whole seconds to wait before the next attempt.
   */
  retry_after: number;
}
/**
 * Why a market is or is no opportunity.
 */
export interface Explanation {
  /**
   * The market.
   */
  id: string;
  /**
   * Title for people. It comes from the venues: display it as text.
   */
  title: string;
  /**
   * State of the market; `settled` when both venues are final.
   */
  status: 'open' | 'live' | 'resolving' | 'closed' | 'settled';
  /**
   * `arb`: all four gates are open (band, parity, risk, priced). `spread`: a price gap with
   * its settlement risks.
   */
  signal: 'spread' | 'arb';
  /**
   * Time of the prices.
   */
  snapshot_at: string;
  /**
   * Age of the REST snapshot against market time, in seconds.
   */
  delay_seconds: number;
  /**
   * The one reason: the state of the market (`pair.*`), else the first closed gate, else
   * what followed with all gates open (`opportunity.open`, `edge.none`, `fee.unknown` …).
   * Null where nothing is known yet.
   */
  code: string | null;
  /**
   * All four gates. An opportunity needs each of them open.
   *
   * Items: One condition of the arbitrage signal.
   */
  gates: {
    /**
     * Name of the gate. The four are in this order.
     */
    gate: 'band' | 'parity' | 'risk' | 'priced';
    /**
     * Whether the gate is open.
     */
    open: boolean;
    /**
     * Code: why it is closed. Null for an open gate.
     */
    reason: string | null;
  }[];
  /**
   * The newest opportunity of the market; null if it had none.
   */
  opportunity: {
    /**
     * Id of the opportunity.
     */
    id: string;
    /**
     * When it opened.
     */
    opened_at: string;
    /**
     * When it closed; null while it is open.
     */
    closed_at: string | null;
    /**
     * Code: why it closed; null while it is open.
     */
    reason: string | null;
  } | null;
  /**
   * At most ten reasons for which an edge was rejected, the last first.
   */
  rejections: {
    /**
     * Where it was rejected.
     */
    stage: string;
    /**
     * Code: why.
     */
    reason: string;
    /**
     * The first time.
     */
    first_at: string;
    /**
     * The last time, up to the snapshot.
     */
    last_at: string;
    /**
     * Whether no later price had another result.
     */
    is_current: boolean;
  }[];
  /**
   * How close the asks of the snapshot come to an arbitrage. Null without an ask and a fee
   * for every outcome, and where one of each does not return $1. A contract of another
   * outcome that would pay in the same case is not considered.
   */
  closest: {
    /**
     * What buying every leg leaves after fees, in points of the $1 payout. Mostly negative.
     */
    edge_pct: number;
    /**
     * USD to buy one of each leg, fees included.
     */
    cost_per_payout_usd: number;
    /**
     * Contracts of each leg at these asks; null where a size is unknown.
     */
    contracts: number | null;
    /**
     * One for each outcome.
     *
     * Items: The cheapest contract of an outcome, as `best.buy` of the market.
     */
    legs: {
      /**
       * The `key` of the outcome.
       */
      outcome: string;
      /**
       * The venue with the lower `net`.
       */
      venue: 'venue_a' | 'venue_b';
      /**
       * Ticker of venue_a, or token id of venue_b.
       */
      contract: string | null;
      /**
       * The side of the ticker that pays for the outcome; null on venue_b.
       */
      side: ('yes' | 'no') | null;
      /**
       * The ask in USD.
       */
      price: number;
      /**
       * Taker fee of one contract at this price in USD.
       */
      fee: number;
      /**
       * `price` plus `fee`.
       */
      net: number;
      /**
       * Contracts at the ask; null where unknown.
       */
      size: number | null;
    }[];
  } | null;
  /**
   * How the contracts may settle differently, worst first.
   */
  risks: Risk[];
  rule: RuleRecord;
  /**
   * The most likely cause of a loss, as a sentence: the worst risk, or the record of the
   * rule.
   */
  weakest_link: string;
}
/**
 * Settled history of the pair’s resolution rule: of this service and of the backtest.
 */
export interface RuleRecord {
  /**
   * Settled occasions (a game, a day, a race) of this rule that both venues paid equally.
   */
  agreeing: number;
  /**
   * Settled occasions of this rule that the venues paid differently.
   */
  diverging: number;
  /**
   * Upper bound for the share of diverging occasions, in percent: Clopper-Pearson,
   * one-sided, 95 % confidence. 100 before the first settlement.
   */
  bound_pct: number;
}
/**
 * The asks of both venues over time.
 */
export interface History {
  /**
   * The Market.
   */
  id: string;
  /**
   * The width of a bucket.
   */
  bucket_seconds: 60 | 300 | 3600;
  /**
   * Age of the REST snapshot against market time, in seconds.
   */
  delay_seconds: number;
  /**
   * Start of the first bucket in the response, in milliseconds since 1970 (UTC).
   */
  from: number;
  /**
   * Start of the last bucket in the response, in milliseconds since 1970 (UTC).
   */
  to: number;
  /**
   * One per outcome; empty before the first point.
   */
  series: {
    /**
     * The outcome’s `key`.
     */
    outcome: string;
    /**
     * The outcome’s name.
     */
    name: string;
    /**
     * Oldest first. Points newer than the delay are omitted.
     */
    points: HistoryPoint[];
  }[];
}
/**
 * Asks of both venues at one time.
 */
export interface HistoryPoint {
  /**
   * The start of the bucket, in milliseconds since 1970 (UTC).
   */
  t: number;
  /**
   * Ask of venue_a at `t`, in USD; null without one.
   */
  venue_a: number | null;
  /**
   * Ask of venue_b at `t`, in USD; null without one.
   */
  venue_b: number | null;
  /**
   * With `include=bid`: bid of venue_a at `t`, in USD; null without one.
   */
  venue_a_bid?: number | null;
  /**
   * With `include=bid`: bid of venue_b at `t`, in USD; null without one.
   */
  venue_b_bid?: number | null;
  /**
   * With `include=gap`: difference of the two asks in points; null without one of them.
   */
  gap_pts?: number | null;
}
/**
 * Confirmed arbitrage at the REST snapshot.
 */
export interface OpportunityList {
  /**
   * The newest `priced_at` of the rows, for their freshness. Null without rows.
   */
  as_of: string | null;
  /**
   * Age of the REST snapshot against market time, in seconds.
   */
  delay_seconds: number;
  /**
   * Number of rows in this response.
   */
  count: number;
  /**
   * An empty list is the normal state.
   */
  opportunities: Opportunity[];
}
/**
 * A confirmed arbitrage: buy the same number of every leg, and exactly one of them pays
 * $1.
 */
export interface Opportunity {
  /**
   * Stable from the opening of the opportunity to its close.
   */
  id: string;
  /**
   * The market: `GET /v2/pairs/{market_id}`.
   */
  market_id: string;
  /**
   * Title for people. It comes from the venues: display it as text.
   */
  title: string | null;
  /**
   * `sports`, `weather`, `crypto`, `economics` …
   */
  category: string;
  /**
   * The family of question.
   */
  market_type:
    | 'moneyline'
    | 'outright'
    | 'total'
    | 'spread'
    | 'team_total'
    | 'advance'
    | 'weather_high'
    | 'weather_low'
    | 'crypto_above'
    | 'fed_decision'
    | 'econ_print'
    | 'cb_decision';
  /**
   * Sports only: the broad sport, such as `football`.
   */
  sport?: string | null;
  /**
   * Sports only: the league or cup, such as `NFL`.
   */
  competition?: string | null;
  /**
   * Weather only: the place.
   */
  location?: string | null;
  /**
   * Crypto and commodities: the asset.
   */
  asset?: string | null;
  /**
   * Economic releases: the indicator.
   */
  indicator?: string | null;
  /**
   * The measured quantity, or the station or source by which each venue settles, where that
   * matters. `touch`: each outcome is a price level that pays if the price reaches it at any
   * time, so several can pay, or none.
   */
  basis?: string | null;
  /**
   * Central-bank decisions: the institution.
   */
  institution?: string | null;
  /**
   * Normalized words for discovery only.
   */
  tags: string[];
  /**
   * Start of the event.
   */
  start_time: string | null;
  /**
   * Computed net profit in points of the $1 payout, after fees.
   */
  edge_pct: number;
  /**
   * Computed net profit divided by `max_wager_usd`, in percent.
   */
  roi_pct: number;
  /**
   * Always true.
   */
  fees_included: true;
  /**
   * Fees are computed for one contract per leg and scaled. The rounding of a venue at a
   * larger size can differ.
   */
  fee_model: 'conservative_per_contract';
  /**
   * USD to buy one of each leg, fees included.
   */
  cost_per_payout_usd: number;
  /**
   * Contracts of each leg that the books offer at these asks.
   */
  max_contracts: number;
  /**
   * USD for `max_contracts` of each leg, fees included, rounded up to 1e-6.
   */
  max_wager_usd: number;
  /**
   * The lower confidence of the pair.
   */
  confidence: number;
  /**
   * Time when the opportunity opened.
   */
  detected_at: string | null;
  /**
   * Last change of its asks or sizes.
   */
  priced_at: string | null;
  /**
   * One per outcome: exactly one of them pays.
   */
  legs: Leg[];
  /**
   * Size curve: cost and edge at growing size, with the rounding of each venue, until the
   * edge is zero.
   */
  ladder:
    | {
        /**
         * Contracts of each leg.
         */
        contracts: number;
        /**
         * Cost of all legs, with the fees rounded at this size.
         */
        cost_usd: number;
        /**
         * Profit after fees, in points of the payout.
         */
        edge_pct: number;
      }[]
    | null;
  /**
   * How the contracts may settle differently, worst first. The same as `settlement.risks` of
   * the market.
   */
  risks: Risk[];
  rule: RuleRecord;
  /**
   * `edge_pct` minus `rule.bound_pct`, in points of the $1 payout: the average profit if
   * settlements diverge as often as the record allows and each divergence pays $0. It may be
   * negative.
   */
  edge_after_bound_pct: number;
  /**
   * The most likely cause of a loss, as a sentence: the worst risk, or the record of the
   * rule.
   */
  weakest_link: string;
  /**
   * REST only: USD that the whole size locks in after fees, exact: `max_contracts` minus
   * `max_wager_usd`.
   */
  profit_usd?: number;
  /**
   * REST only: when both contracts are expected to have settled: the later of the expected
   * expiration of venue_a (its close time where it states none) and the end date of venue_b.
   * Null where neither states a time. For some sports venue_b states seven days after the
   * start, and a venue may pay earlier or later.
   */
  expected_settlement_at?: string | null;
  /**
   * REST only: `edge_pct` · 365 days / (`expected_settlement_at` − the time of the
   * snapshot), in points of the $1 payout for a year, two decimals, without compounding.
   * Null where the time is unknown or past.
   */
  annualized_pct?: number | null;
  settlement?: Settlement1;
  /**
   * REST, with `include=books`: the outcomes of the market with both books of each, as
   * `/v2/markets` has them with `include=depth`. Empty where the market has no prices at the
   * snapshot.
   */
  outcomes?: Outcome[];
}
/**
 * One contract to buy.
 */
export interface Leg {
  /**
   * The leg pays $1 if this outcome comes true.
   */
  outcome: string;
  /**
   * Name of the outcome. It comes from the venues: display it as text.
   */
  outcome_name: string | null;
  /**
   * The venue to buy on.
   */
  venue: 'venue_a' | 'venue_b';
  /**
   * The side of `contract_id` to buy; null for an outcome token of venue_b. With `no`, the
   * contract asks about the other outcome.
   */
  side: ('yes' | 'no') | null;
  /**
   * USD per contract at the best ask, before fees.
   */
  ask_usd: number;
  /**
   * Share of this leg in the whole wager, fees included; six decimals, the sum over the legs
   * is 1.
   */
  stake_fraction: number;
  /**
   * Contracts offered at `ask_usd` in the book.
   */
  available_contracts: number;
  /**
   * The exact ticker (venue_a) or outcome-token id (venue_b) to buy.
   */
  contract_id: string;
  /**
   * Name of the contract on the venue; on venue_b the question of its market with the label
   * of the token. Null where the venue has none. It comes from the venue: display it as
   * text.
   */
  contract_label: string | null;
  /**
   * One sentence: the side and the contract to buy, by id and label, and when it pays $1.
   * With `side: "no"` the contract asks about the other outcome. Names in it come from the
   * venues: display it as text.
   */
  instruction: string;
  /**
   * Page of the event on the venue; null where no public URL is verified.
   */
  url: string | null;
  /**
   * Fee of the venue in USD for one contract, rounded as the venue rounds.
   */
  fee_usd?: number;
  /**
   * `match_delay_ms` in seconds.
   */
  match_delay_seconds?: number;
  /**
   * Milliseconds that the venue delays an order before it can match; absent without a known
   * delay.
   */
  match_delay_ms?: number;
  /**
   * REST only: the smallest order in contracts, as the venue lists it for this contract;
   * null where it states none. venue_b also refuses a purchase below $1.
   */
  min_order?: number | null;
  /**
   * REST only: the price step in USD that the venue lists for this contract at `ask_usd`;
   * null where it states none. It can be finer near $0 and $1.
   */
  tick?: number | null;
}
/**
 * REST, with `include=settlement`: as in `/v2/markets`.
 */
export interface Settlement1 {
  /**
   * Whether the resolution rule of the pair is confirmed: all settled pairs of the rule
   * agreed.
   */
  parity: boolean;
  /**
   * Worst first.
   */
  risks: Risk[];
  /**
   * Rule text of venue_a.
   */
  venue_a_text: string | null;
  /**
   * Rule text of venue_b.
   */
  venue_b_text: string | null;
  /**
   * Null until settled; then equal to `result.verdict`.
   */
  verdict: ('agree' | 'diverge' | 'edge_case') | null;
}
/**
 * A page of closed opportunities.
 */
export interface PastOpportunityList {
  /**
   * Number of rows in this response.
   */
  count: number;
  /**
   * Whether another page follows.
   */
  has_more: boolean;
  /**
   * Opaque. Send it as `cursor` for the next page; null at the end. It does not expire.
   */
  next_cursor: string | null;
  /**
   * Opportunities that closed later are not in this list.
   */
  snapshot_at: string;
  /**
   * Age of the REST snapshot against market time, in seconds.
   */
  delay_seconds: number;
  /**
   * By `closed_at`, the last first.
   */
  opportunities: PastOpportunity[];
}
/**
 * An opportunity that has closed.
 */
export interface PastOpportunity {
  /**
   * The `id` that it had in `/v2/arbitrage` and on the stream.
   */
  id: string;
  /**
   * The market: `GET /v2/pairs/{market_id}`.
   */
  market_id: string;
  /**
   * Title for people. It comes from the venues: display it as text.
   */
  title: string;
  /**
   * `sports`, `weather`, `crypto`, `economics` …
   */
  category: string;
  /**
   * The family of question.
   */
  market_type:
    | 'moneyline'
    | 'outright'
    | 'total'
    | 'spread'
    | 'team_total'
    | 'advance'
    | 'weather_high'
    | 'weather_low'
    | 'crypto_above'
    | 'fed_decision'
    | 'econ_print'
    | 'cb_decision';
  /**
   * Sports only: the broad sport, such as `football`.
   */
  sport: string | null;
  /**
   * Sports only: the league or cup, such as `NFL`.
   */
  competition: string | null;
  /**
   * When it opened: its `detected_at`.
   */
  opened_at: string;
  /**
   * When it closed. Where a book became invalid, the last time at which the book was valid.
   */
  closed_at: string;
  /**
   * Code of the reason: `edge.gone`, or the code of a book, a rule of the arithmetic, a gate
   * or the state of the market. docs/rest.md lists them.
   */
  close_reason: string;
  /**
   * The largest `edge_pct` that it had, in points of the $1 payout.
   */
  peak_edge_pct: number;
  opening: PastTerms;
  peak: PastTerms1;
  /**
   * Number of different sizes or edges that it had, one after the other.
   */
  states: number;
  /**
   * How size and edge changed, by time. All `states` where there are at most 20; otherwise
   * the first, the peak, the last and others evenly between.
   *
   * Items: Size and edge from one time on.
   */
  samples: {
    /**
     * From this time on.
     */
    at: string;
    /**
     * Contracts of each leg that the books offered, with a precision of 0.01.
     */
    contracts: number;
    /**
     * Net profit after fees, in points of the $1 payout, as `edge_pct` there.
     */
    edge_pct: number;
  }[];
  /**
   * Whether its market was withdrawn since, for example as a wrong match: then it may have
   * been none.
   */
  market_withdrawn: boolean;
}
/**
 * Its terms when it opened.
 */
export interface PastTerms {
  /**
   * When these terms began.
   */
  at: string;
  /**
   * Contracts of each leg that the books offered, with a precision of 0.01.
   */
  contracts: number;
  /**
   * Net profit after fees, in points of the $1 payout, as `edge_pct` there.
   */
  edge_pct: number;
  /**
   * USD for `contracts` of each leg, fees included, rounded up to 1e-6.
   */
  cost_usd: number;
  /**
   * USD: `contracts` minus `cost_usd`, exact. What the whole size locked in, after fees.
   */
  profit_usd: number;
}
/**
 * Its terms at the largest edge; of equal edges the largest size, then the first.
 */
export interface PastTerms1 {
  /**
   * When these terms began.
   */
  at: string;
  /**
   * Contracts of each leg that the books offered, with a precision of 0.01.
   */
  contracts: number;
  /**
   * Net profit after fees, in points of the $1 payout, as `edge_pct` there.
   */
  edge_pct: number;
  /**
   * USD for `contracts` of each leg, fees included, rounded up to 1e-6.
   */
  cost_usd: number;
  /**
   * USD: `contracts` minus `cost_usd`, exact. What the whole size locked in, after fees.
   */
  profit_usd: number;
}
/**
 * Spreads: a gap is not a return.
 */
export interface SpreadList {
  /**
   * The filter of the request.
   */
  category: string | null;
  /**
   * The filter of the request.
   */
  sport: string | null;
  /**
   * The filter of the request.
   */
  competition: string | null;
  /**
   * The filter of the request.
   */
  location: string | null;
  /**
   * The filter of the request.
   */
  asset: string | null;
  /**
   * The filter of the request.
   */
  indicator: string | null;
  /**
   * The filter of the request.
   */
  basis: string | null;
  /**
   * The filter of the request.
   */
  institution: string | null;
  /**
   * The filter of the request, in points.
   */
  min_gap: number | null;
  /**
   * Number of rows in this response.
   */
  count: number;
  /**
   * Widest gap first.
   */
  spreads: Spread[];
}
/**
 * A price gap on a pair whose rule excludes arbitrage.
 */
export interface Spread {
  /**
   * Stable. As an input, the UUID without the prefix is accepted as well.
   */
  id: string;
  /**
   * `sports`, `weather`, `crypto`, `economics` …
   */
  category: string;
  /**
   * The family of question.
   */
  market_type:
    | 'moneyline'
    | 'outright'
    | 'total'
    | 'spread'
    | 'team_total'
    | 'advance'
    | 'weather_high'
    | 'weather_low'
    | 'crypto_above'
    | 'fed_decision'
    | 'econ_print'
    | 'cb_decision';
  /**
   * Sports only: the broad sport, such as `football`.
   */
  sport: string | null;
  /**
   * Sports only: the league or cup, such as `NFL`.
   */
  competition: string | null;
  /**
   * Title for people. It comes from the venues: display it as text.
   */
  title: string;
  /**
   * State of the market; `settled` when both venues are final.
   */
  status: 'open' | 'live' | 'resolving' | 'closed' | 'settled';
  /**
   * `arb`: all four gates are open (band, parity, risk, priced). `spread`: a price gap with
   * its settlement risks.
   */
  signal: 'spread' | 'arb';
  /**
   * The largest gap between the asks of both venues over the outcomes, in points (cents of
   * the $1 payout), exact. Null without prices.
   */
  spread_pts: number | null;
  /**
   * Band of the match. `REVIEW` on a published row means that its settlement is not sure.
   */
  match_band: 'EXACT' | 'HIGH' | 'REVIEW';
  settlement: Settlement2;
}
/**
 * How each venue settles, and how the contracts may settle differently.
 */
export interface Settlement2 {
  /**
   * Whether the resolution rule of the pair is confirmed: all settled pairs of the rule
   * agreed.
   */
  parity: boolean;
  /**
   * Worst first.
   */
  risks: Risk[];
  /**
   * Rule text of venue_a.
   */
  venue_a_text: string | null;
  /**
   * Rule text of venue_b.
   */
  venue_b_text: string | null;
  /**
   * Null until settled; then equal to `result.verdict`.
   */
  verdict: ('agree' | 'diverge' | 'edge_case') | null;
}
/**
 * Resolution rules with their settled record.
 */
export interface RuleList {
  /**
   * The limit: a rule is confirmed while its bound is at most this, in percent.
   */
  limit_pct: number;
  /**
   * The one-sided confidence of every bound, in percent.
   */
  confidence_pct: number;
  /**
   * Rows in this response.
   */
  count: number;
  /**
   * Whether there is a next page.
   */
  has_more: boolean;
  /**
   * Send it as `cursor` for the next page; null on the last one.
   */
  next_cursor: string | null;
  /**
   * The rules by competition, family and id.
   */
  rules: Rule[];
}
/**
 * A resolution rule: pairs of equal terms, with the record of how they settled.
 */
export interface Rule {
  /**
   * The family, the competition, and the terms that both venues’ texts state.
   */
  rule_id: string;
  /**
   * The market type of its pairs.
   */
  family: string | null;
  /**
   * Its competition as in `/v2/markets`; outside sports its place, asset or institution.
   * Null without one.
   */
  competition: string | null;
  /**
   * Occasions on which both venues paid the same on every outcome.
   */
  agreeing: number;
  /**
   * Occasions on which they did not. Without those that a review dismissed as a wrong pair
   * or a clerical error.
   */
  diverging: number;
  /**
   * Upper bound of the true divergence rate, in percent, one-sided; 100 without a record.
   */
  bound_pct: number;
  /**
   * `confirmed`: its own bound is within the limit. `pooled`: the bound of its pool is.
   * `unconfirmed`: neither is. `withdrawn`: a divergence waits for a review. `refused`: a
   * reviewer refused it.
   */
  state: 'confirmed' | 'pooled' | 'unconfirmed' | 'withdrawn' | 'refused';
  /**
   * When its first occasion settled; null without one.
   */
  first_at: string | null;
  /**
   * When its last occasion settled; null without one.
   */
  last_at: string | null;
  /**
   * The pool that the rule belongs to; null where it is in none.
   */
  pool: {
    /**
     * Rules in the pool, this one included.
     */
    count: number;
    /**
     * The `rule_id` of up to 20 of them, in alphabetical order.
     */
    members: string[];
    /**
     * Agreeing occasions of all rules of the pool together.
     */
    agreeing: number;
    /**
     * The bound of the pool’s divergence rate, in percent.
     */
    bound_pct: number;
  } | null;
  /**
   * With `include=divergences`: all divergences, dismissed ones included.
   */
  divergences_count?: number;
  /**
   * With `include=divergences`: the 20 newest, with the evidence of both venues.
   */
  divergences?: {
    /**
     * The game, the event or the day. All markets of an occasion count once.
     */
    occasion: string;
    /**
     * `live`: this service had paired both listings before. `backtest`: read from the settled
     * history.
     */
    source: 'live' | 'backtest';
    /**
     * When the later of the two venues settled.
     */
    settled_at: string | null;
    /**
     * The listing of venue_a.
     */
    venue_a: {
      /**
       * The event, as the venue names it.
       */
      event: string;
      /**
       * Its title in the venue’s words.
       */
      title: string | null;
      /**
       * The rule text in the venue’s words, cut after 6,000 characters: display it as text,
       * never as markup.
       */
      text: string | null;
      /**
       * What the venue paid on each outcome.
       */
      paid: {
        /**
         * The outcome.
         */
        outcome: string;
        /**
         * What a contract on it paid, in USD; null where it is unknown.
         */
        usd: number | null;
      }[];
    };
    /**
     * The listing of venue_b.
     */
    venue_b: {
      /**
       * The event, as the venue names it.
       */
      event: string;
      /**
       * Its title in the venue’s words.
       */
      title: string | null;
      /**
       * The rule text in the venue’s words, cut after 6,000 characters: display it as text,
       * never as markup.
       */
      text: string | null;
      /**
       * What the venue paid on each outcome.
       */
      paid: {
        /**
         * The outcome.
         */
        outcome: string;
        /**
         * What a contract on it paid, in USD; null where it is unknown.
         */
        usd: number | null;
      }[];
    };
  }[];
}
/**
 * What served opportunities paid in the end. Voids and divergences count as they were
 * paid.
 */
export interface TrackRecord {
  /**
   * Source of the prices and results: live venues, a simulation or a replay; null where it
   * is unknown.
   */
  source: ('live' | 'simulated' | 'replay') | null;
  /**
   * When the first opportunity of the record opened; null before it.
   */
  since: string | null;
  /**
   * Market time at which the record last changed.
   */
  updated_at: string | null;
  /**
   * All opportunities that match the filters.
   */
  totals: {
    /**
     * Opportunities that this service published: on the stream, or by `GET /v2/arbitrage`.
     */
    shown: number;
    /**
     * Different markets that they were found in. One market can have many opportunities.
     */
    markets: number;
    /**
     * Those whose every contract both venues have paid.
     */
    settled: number;
    /**
     * Settled ones that paid at least $1 for each contract of a leg, as promised.
     */
    paid_as_promised: number;
    /**
     * Settled ones that paid less than promised, losses included.
     */
    paid_less: number;
    /**
     * Those of `paid_less` that paid less than they cost.
     */
    lost: number;
    /**
     * Those that are not settled because a venue closed or removed the market without a
     * result.
     */
    without_result: number;
    /**
     * The lowest profit of one settled opportunity, negative for a loss; null before the first
     * settlement.
     */
    worst_case_usd: number | null;
    /**
     * Median seconds from opening to close, of those that closed; null before the first close.
     */
    median_life_s: number | null;
    /**
     * What the settled ones cost at the served size, fees included.
     */
    cost_usd: number;
    /**
     * What they promised to pay.
     */
    promised_usd: number;
    /**
     * What both venues paid for them.
     */
    paid_usd: number;
  };
  /**
   * The same by family and competition, over all months that match.
   */
  competitions: {
    /**
     * The market type.
     */
    family: string;
    /**
     * The league or cup; null outside sports.
     */
    competition: string | null;
    /**
     * Opportunities that this service published: on the stream, or by `GET /v2/arbitrage`.
     */
    shown: number;
    /**
     * Different markets that they were found in. One market can have many opportunities.
     */
    markets: number;
    /**
     * Those whose every contract both venues have paid.
     */
    settled: number;
    /**
     * Settled ones that paid at least $1 for each contract of a leg, as promised.
     */
    paid_as_promised: number;
    /**
     * Settled ones that paid less than promised, losses included.
     */
    paid_less: number;
    /**
     * Those of `paid_less` that paid less than they cost.
     */
    lost: number;
    /**
     * Those that are not settled because a venue closed or removed the market without a
     * result.
     */
    without_result: number;
    /**
     * The lowest profit of one settled opportunity, negative for a loss; null before the first
     * settlement.
     */
    worst_case_usd: number | null;
    /**
     * Median seconds from opening to close, of those that closed; null before the first close.
     */
    median_life_s: number | null;
    /**
     * What the settled ones cost at the served size, fees included.
     */
    cost_usd: number;
    /**
     * What they promised to pay.
     */
    promised_usd: number;
    /**
     * What both venues paid for them.
     */
    paid_usd: number;
  }[];
  /**
   * The same by month, family and competition, newest month first.
   */
  records: {
    /**
     * The month of the opening in UTC: `2026-11`.
     */
    month: string;
    /**
     * The market type.
     */
    family: string;
    /**
     * The league or cup; null outside sports.
     */
    competition: string | null;
    /**
     * Opportunities that this service published: on the stream, or by `GET /v2/arbitrage`.
     */
    shown: number;
    /**
     * Different markets that they were found in. One market can have many opportunities.
     */
    markets: number;
    /**
     * Those whose every contract both venues have paid.
     */
    settled: number;
    /**
     * Settled ones that paid at least $1 for each contract of a leg, as promised.
     */
    paid_as_promised: number;
    /**
     * Settled ones that paid less than promised, losses included.
     */
    paid_less: number;
    /**
     * Those of `paid_less` that paid less than they cost.
     */
    lost: number;
    /**
     * Those that are not settled because a venue closed or removed the market without a
     * result.
     */
    without_result: number;
    /**
     * The lowest profit of one settled opportunity, negative for a loss; null before the first
     * settlement.
     */
    worst_case_usd: number | null;
    /**
     * Median seconds from opening to close, of those that closed; null before the first close.
     */
    median_life_s: number | null;
    /**
     * What the settled ones cost at the served size, fees included.
     */
    cost_usd: number;
    /**
     * What they promised to pay.
     */
    promised_usd: number;
    /**
     * What both venues paid for them.
     */
    paid_usd: number;
  }[];
  /**
   * Whether a list was cut after 1,000 rows. Filter by `month` for the others.
   */
  truncated: boolean;
}
/**
 * At most 20 markets of the catalog, for everyone.
 */
export interface Sample {
  /**
   * Number of `markets`.
   */
  count: number;
  /**
   * Time of the prices.
   */
  snapshot_at: string;
  /**
   * Age of the REST snapshot against market time, in seconds.
   */
  delay_seconds: number;
  /**
   * By start, the earliest first.
   */
  markets: Market[];
}
/**
 * A page of matching markets.
 */
export interface SearchResult {
  /**
   * The text of the request.
   */
  q: string;
  /**
   * The filter of the request.
   */
  category: string | null;
  /**
   * The filter of the request.
   */
  sport: string | null;
  /**
   * Number of this page.
   */
  page: number;
  /**
   * Rows per page.
   */
  page_size: number;
  /**
   * Rows on this page.
   */
  count: number;
  /**
   * Rows on all pages.
   */
  total: number;
  /**
   * Whether another page follows.
   */
  has_more: boolean;
  /**
   * Words of people that were read in another way as well: `tonight`, `100k`, `sixers`.
   * Absent without.
   */
  read_as?: {
    /**
     * Words of `q`.
     */
    words: string;
    /**
     * What was searched for as well: other names and other forms of a number.
     */
    also: string[];
    /**
     * For a time: the earliest start that was searched for; else null.
     */
    starts_from: string | null;
    /**
     * For a time: starts before this moment; else null.
     */
    starts_before: string | null;
  }[];
  /**
   * Matching markets, without prices.
   */
  markets: SearchHit[];
}
/**
 * The identity of a market, without prices.
 */
export interface SearchHit {
  /**
   * Stable. As an input, the UUID without the prefix is accepted as well.
   */
  id: string;
  /**
   * `sports`, `weather`, `crypto`, `economics` …
   */
  category: string;
  /**
   * The family of question.
   */
  market_type:
    | 'moneyline'
    | 'outright'
    | 'total'
    | 'spread'
    | 'team_total'
    | 'advance'
    | 'weather_high'
    | 'weather_low'
    | 'crypto_above'
    | 'fed_decision'
    | 'econ_print'
    | 'cb_decision';
  /**
   * Sports only: the broad sport, such as `football`.
   */
  sport: string | null;
  /**
   * Sports only: the league or cup, such as `NFL`.
   */
  competition: string | null;
  /**
   * Normalized words for discovery only.
   */
  tags: string[];
  /**
   * Title for people. It comes from the venues: display it as text.
   */
  title: string;
  /**
   * Start of the event; without a scheduled event, the earlier close time of the two venues.
   */
  start_time: string;
  /**
   * State of the market; `settled` when both venues are final.
   */
  status: 'open' | 'live' | 'resolving' | 'closed' | 'settled';
  /**
   * `arb`: all four gates are open (band, parity, risk, priced). `spread`: a price gap with
   * its settlement risks.
   */
  signal: 'spread' | 'arb';
  /**
   * Venues with prices in this row.
   */
  coverage: {
    /**
     * Whether venue_a is priced.
     */
    venue_a: boolean;
    /**
     * Whether venue_b is priced.
     */
    venue_b: boolean;
  };
  /**
   * Keys and names only.
   */
  outcomes: {
    /**
     * ASCII slug of the full name (`max-holloway`), unique in the market and stable for the
     * life of the pair.
     */
    key: string;
    /**
     * Name for people. It comes from the venues: display it as text.
     */
    name: string;
  }[];
}
/**
 * The markets that have these ids.
 */
export interface Lookup {
  /**
   * Number of `ids`.
   */
  count: number;
  /**
   * Each id of the request once, in its order.
   */
  ids: {
    /**
     * The id of the request.
     */
    id: string;
    /**
     * What the id is; null where nothing has it. A market id is known by its form.
     */
    kind: ('market_id' | 'ticker' | 'token_id' | 'condition_id' | 'event_ticker' | 'slug') | null;
    /**
     * The venue that uses the id; null for a market id.
     */
    venue: ('venue_a' | 'venue_b') | null;
    /**
     * By start; empty where nothing has the id.
     *
     * Items: A market that has this id.
     */
    matches: {
      /**
       * The Market.
       */
      market_id: string;
      /**
       * The `key` of the outcome that the contract prices; null where the id names no single
       * outcome.
       */
      outcome: string | null;
      /**
       * Tickers only: the side that pays for the outcome.
       */
      side: ('yes' | 'no') | null;
    }[];
  }[];
}
/**
 * Values that the filters can name.
 */
export interface CategoryList {
  /**
   * One per category, sorted by name.
   */
  categories: {
    /**
     * `sports`, `weather`, `crypto`, `economics` …
     */
    category: string;
    /**
     * Market types with markets in this category.
     *
     * Items: The family of question.
     */
    market_types: (
      | 'moneyline'
      | 'outright'
      | 'total'
      | 'spread'
      | 'team_total'
      | 'advance'
      | 'weather_high'
      | 'weather_low'
      | 'crypto_above'
      | 'fed_decision'
      | 'econ_print'
      | 'cb_decision'
    )[];
    /**
     * Combinations that have markets.
     *
     * Items: A combination that has markets. The context fields depend on the category.
     */
    facets: {
      /**
       * The family of question.
       */
      market_type:
        | 'moneyline'
        | 'outright'
        | 'total'
        | 'spread'
        | 'team_total'
        | 'advance'
        | 'weather_high'
        | 'weather_low'
        | 'crypto_above'
        | 'fed_decision'
        | 'econ_print'
        | 'cb_decision';
      /**
       * Sports only: the broad sport, such as `football`.
       */
      sport?: string | null;
      /**
       * Sports only: the league or cup, such as `NFL`.
       */
      competition?: string | null;
      /**
       * Weather only: the place.
       */
      location?: string | null;
      /**
       * Crypto and commodities: the asset.
       */
      asset?: string | null;
      /**
       * Economic releases: the indicator.
       */
      indicator?: string | null;
      /**
       * The measured quantity, or the station or source by which each venue settles, where that
       * matters. `touch`: each outcome is a price level that pays if the price reaches it at any
       * time, so several can pay, or none.
       */
      basis?: string | null;
      /**
       * Central-bank decisions: the institution.
       */
      institution?: string | null;
      /**
       * Markets with this combination.
       */
      count: number;
    }[];
    /**
     * All markets.
     */
    count: number;
    /**
     * Open markets.
     */
    open: number;
    /**
     * Live markets.
     */
    live: number;
    /**
     * Settled markets.
     */
    settled: number;
  }[];
}
/**
 * Sports with their leagues.
 */
export interface LeagueList {
  /**
   * One per sport, sorted by name.
   */
  sports: {
    /**
     * The sport.
     */
    sport: string;
    /**
     * Leagues with markets in this sport.
     */
    leagues: string[];
    /**
     * Markets, including those without a league.
     */
    count: number;
    /**
     * Equal to `count`.
     */
    open: number;
    /**
     * Always 0. Kept for old clients.
     */
    live: 0;
    /**
     * Always 0. Kept for old clients.
     */
    settled: 0;
  }[];
}
/**
 * An hourly census of paired and unpaired series and games.
 */
export interface Coverage {
  /**
   * Time of the census; null before the first one.
   */
  as_of: string | null;
  /**
   * Series by status.
   */
  counts: {
    /**
     * Series that are paired now.
     */
    aggregated: number;
    /**
     * Supported series that wait for a counterpart.
     */
    pending: number;
    /**
     * Supported series without an open event.
     */
    quiet: number;
    /**
     * Open series that are not supported.
     */
    venue_a_only: number;
    /**
     * Series that are not supported and have no open event.
     */
    dormant: number;
  };
  /**
   * Every series of venue_a, sorted by ticker.
   */
  series: {
    /**
     * The series, as venue_a names it.
     */
    series_ticker: string;
    /**
     * Its league; null without one.
     */
    league: string | null;
    /**
     * Its sport; null without one.
     */
    sport: string | null;
    /**
     * Whether the matcher supports the series.
     */
    wired: boolean;
    /**
     * `aggregated`: paired now. `pending`: supported, waits for a counterpart or its
     * confirmation. `quiet`: supported, no open event. `venue_a_only`: open on venue_a, not
     * supported. `dormant`: not supported, no open event.
     */
    status: 'aggregated' | 'pending' | 'quiet' | 'venue_a_only' | 'dormant';
    /**
     * Open events of venue_a.
     */
    venue_a_open_events: number;
    /**
     * Those that are paired.
     */
    paired: number;
    /**
     * Games of venue_b in the same sport.
     */
    sport_venue_b_fixtures: number;
    /**
     * Time of the last match pass over the series.
     */
    last_pass_at: string | null;
  }[];
  /**
   * Games of venue_b with and without a pair, by sport.
   */
  venue_b_unpaired: {
    /**
     * The sport.
     */
    sport: string;
    /**
     * Games of venue_b in the catalog.
     */
    fixtures: number;
    /**
     * Those with a pair on venue_a.
     */
    paired: number;
    /**
     * Those without.
     */
    unpaired: number;
  }[];
  /**
   * Series and tags with an event. More than `events_by_series` has when that list is cut.
   */
  events_by_series_count: number;
  /**
   * The events of both venues by series: the 4,000 largest, sorted by venue and name.
   */
  events_by_series: {
    /**
     * The venue that lists the events.
     */
    venue: 'venue_a' | 'venue_b';
    /**
     * The series, as the venue names it; null without one.
     */
    series: string | null;
    /**
     * The first tag of events of venue_b that have no series, else null.
     */
    tag: string | null;
    /**
     * Its category; null when events differ or none is known. The name of the venue where none
     * was read.
     */
    category: string | null;
    /**
     * Its sport; null without one, or with several.
     */
    sport: string | null;
    /**
     * Events listed. Each is in exactly one of `paired`, `candidate`, `unpaired` and `unread`.
     */
    events: number;
    /**
     * Events with a published pair.
     */
    paired: number;
    /**
     * Events with a candidate and no published pair.
     */
    candidate: number;
    /**
     * Those of the candidates that wait for a review. `candidate` includes them.
     */
    waiting: number;
    /**
     * Events that were read and have no pair, by the most frequent code.
     */
    unpaired: {
      [k: string]: number;
    };
    /**
     * Events of which no parser made a question, by code.
     */
    unread: {
      [k: string]: number;
    };
    /**
     * Traded volume since the listing. Null when the venue states it for no event.
     */
    volume: {
      /**
       * All that was traded in their markets, rounded to 0.01.
       */
      amount: number;
      /**
       * `contracts` on venue_a, each of which pays $1 to one side; `usd` on venue_b.
       */
      unit: 'contracts' | 'usd';
      /**
       * Events whose volume the venue states. The amount is theirs.
       */
      events: number;
    } | null;
  }[];
  /**
   * A sentence for each code of `unpaired` and `unread`. The codes are stable, the sentences
   * are not.
   */
  reasons: {
    [k: string]: string;
  };
  /**
   * The events of both venues by category and week.
   */
  events_by_week: {
    /**
     * The category; null for unread events of an unknown one.
     */
    category: string | null;
    /**
     * The ISO week of the start in UTC, such as `2026-W47`; `earlier`, `later`; null without a
     * start.
     */
    week: string | null;
    /**
     * Events with a published pair.
     */
    paired: number;
    /**
     * Events with a candidate and no published pair.
     */
    candidate: number;
    /**
     * All other events.
     */
    other: number;
  }[];
}
/**
 * The exported files of one day.
 */
export interface ExportedDay {
  /**
   * The UTC day.
   */
  day: string;
  /**
   * When the last file was stored. The files do not change after it.
   */
  published_at: string;
  /**
   * Hours whose price updates were partly or wholly deleted before they were exported.
   * Normally empty.
   */
  purged_hours: number[];
  /**
   * Until when the addresses work, an hour. Ask again for new ones.
   */
  expires_at: string;
  /**
   * By data set, format and name. Read all files of a data set together.
   */
  files: ExportFile[];
}
/**
 * One file: a part of a data set.
 */
export interface ExportFile {
  /**
   * The data set of its rows.
   */
  dataset: 'updates' | 'opportunities' | 'pairs' | 'refusals' | 'verdicts';
  /**
   * `ndjson`: gzipped, one JSON object a line. `parquet`: with Snappy.
   */
  format: 'ndjson' | 'parquet';
  /**
   * Its name, unique within the day: `updates-05-0001.parquet`.
   */
  name: string;
  /**
   * Its rows. The files of one name have the same rows in both formats.
   */
  rows: number;
  /**
   * Its size.
   */
  bytes: number;
  /**
   * SHA-256 of its bytes, in hex.
   */
  sha256: string;
  /**
   * Where to download it until `expires_at`, without a key. Keep it secret.
   */
  url: string;
}
/**
 * The report is stored.
 */
export interface Received {
  /**
   * Always `received`.
   */
  status: 'received';
}
/**
 * A ticket for the stream.
 */
export interface StreamTicket {
  /**
   * Opaque, good for one connection. Send it as `data.t` of the connect command.
   */
  ticket: string;
  /**
   * URL of the stream, the same for every ticket.
   */
  ws_url: string;
  /**
   * Seconds until the ticket expires.
   */
  expires_in: number;
  /**
   * Limits of the tier.
   */
  allowed: {
    /**
     * Channels of your tier. The connect subscribes you to all of them.
     */
    channels: string[];
    /**
     * Maximum of concurrent connections of your organization.
     */
    max_conns: number;
  };
  /**
   * For clients that use supabase-js. Null while `max_conns` such tokens are valid.
   */
  realtime: {
    /**
     * For `createClient` of supabase-js.
     */
    url: string;
    /**
     * The project’s publishable key.
     */
    apikey: string;
    /**
     * Authorizes the private channels in `topics` only.
     */
    access_token: string;
    /**
     * Seconds until the token expires. Get the next one when fewer than 45 remain.
     */
    expires_in: number;
    /**
     * Private channels to join. Their event is `frames`.
     */
    topics: string[];
  } | null;
}
/**
 * A page of the publication log of a channel.
 */
export interface StreamReplay {
  /**
   * The requested channel.
   */
  channel: string;
  /**
   * Current epoch of the channel. Offsets of another epoch are not comparable.
   */
  epoch: string;
  /**
   * Whether `frames` continue your position without a gap.
   */
  recovered: boolean;
  /**
   * Offset of the last frame in `frames`; without recovery, the offset to continue from.
   */
  offset: number;
  /**
   * Offset of the newest frame.
   */
  top: number;
  /**
   * Oldest first.
   */
  frames: {
    /**
     * Type of the frame.
     */
    type: string;
    [k: string]: unknown;
  }[];
}
/**
 * What a channel holds at an offset.
 */
export interface StreamState {
  /**
   * The requested channel.
   */
  channel: string;
  /**
   * Current epoch of the channel.
   */
  epoch: string;
  /**
   * The state holds all frames up to this offset. Apply those after it.
   */
  offset: number;
  /**
   * Markets that are not over, by start; empty for other channels.
   */
  markets: LiveMarket[];
  /**
   * Open opportunities of these markets, largest edge first.
   */
  opportunities: Opportunity[];
  /**
   * With `status` only; otherwise null.
   */
  feeds:
    | {
        /**
         * The venue.
         */
        venue: 'venue_a' | 'venue_b';
        /**
         * As in a `feed` frame.
         */
        state: 'up' | 'stale' | 'down';
        /**
         * Time of the last message; null where it is unknown.
         */
        last_message_at: string | null;
      }[]
    | null;
  /**
   * With `quotes:all` only: legs with a price; otherwise null.
   */
  quotes: Quote[] | null;
  /**
   * With `best:all` only: markets with prices; otherwise null.
   */
  best: Best[] | null;
}
/**
 * A Market as the stream publishes it in a `market` frame.
 */
export interface LiveMarket {
  /**
   * Stable. As an input, the UUID without the prefix is accepted as well.
   */
  id: string;
  /**
   * For URLs that people read.
   */
  slug: string | null;
  /**
   * `sports`, `weather`, `crypto`, `economics` …
   */
  category: string;
  /**
   * The family of question.
   */
  market_type:
    | 'moneyline'
    | 'outright'
    | 'total'
    | 'spread'
    | 'team_total'
    | 'advance'
    | 'weather_high'
    | 'weather_low'
    | 'crypto_above'
    | 'fed_decision'
    | 'econ_print'
    | 'cb_decision';
  /**
   * Sports only: the broad sport, such as `football`.
   */
  sport: string | null;
  /**
   * Sports only: the league or cup, such as `NFL`.
   */
  competition: string | null;
  /**
   * Weather only: the place.
   */
  location: string | null;
  /**
   * Crypto and commodities: the asset.
   */
  asset: string | null;
  /**
   * Economic releases: the indicator.
   */
  indicator: string | null;
  /**
   * The measured quantity, or the station or source by which each venue settles, where that
   * matters. `touch`: each outcome is a price level that pays if the price reaches it at any
   * time, so several can pay, or none.
   */
  basis: string | null;
  /**
   * Central-bank decisions: the institution.
   */
  institution: string | null;
  /**
   * Normalized words for discovery only.
   */
  tags: string[];
  /**
   * Title for people. It comes from the venues: display it as text.
   */
  title: string;
  /**
   * Home side, or the first named side; null outside of games.
   */
  home: string | null;
  /**
   * Away side, or the second named side; null outside of games.
   */
  away: string | null;
  /**
   * Start of the event; without a scheduled event, the earlier close time of the two venues.
   */
  start_time: string;
  /**
   * State of the market; `settled` when both venues are final.
   */
  status: 'open' | 'live' | 'resolving' | 'closed' | 'settled';
  /**
   * `review` for candidates, which are not in the catalog.
   */
  match: 'high_confidence' | 'review';
  /**
   * `arb`: all four gates are open (band, parity, risk, priced). `spread`: a price gap with
   * its settlement risks.
   */
  signal: 'spread' | 'arb';
  /**
   * The largest gap between the asks of both venues over the outcomes, in points (cents of
   * the $1 payout), exact. Null without prices.
   */
  spread_pts: number | null;
  /**
   * Gross return from the asks in percent, before fees, two decimals; may be zero or
   * negative. Null unless `signal` is `arb`.
   */
  potential_arb_pct: number | null;
  /**
   * Venues with prices in this row.
   */
  coverage: {
    /**
     * Whether venue_a is priced.
     */
    venue_a: boolean;
    /**
     * Whether venue_b is priced.
     */
    venue_b: boolean;
  };
  /**
   * Empty without prices.
   */
  outcomes: Outcome[];
  /**
   * Null until settled.
   */
  result: Result | null;
  /**
   * Last change of the pair’s identity.
   */
  updated_at: string;
  /**
   * Last change of these prices; `updated_at` without prices.
   */
  priced_at: string;
  /**
   * Pages of the event on the venues; null where no public URL is known.
   */
  links: {
    /**
     * Page of the event on venue_a.
     */
    venue_a: string | null;
    /**
     * Page of the event on venue_b.
     */
    venue_b: string | null;
  };
  /**
   * Games only: the betting line of the total or spread, from the view of `outcomes[0]`,
   * with its sign.
   */
  line?: number | null;
  /**
   * Games only: the `id` of the game that the market belongs to.
   */
  game_id?: string | null;
  /**
   * Ladders only: the close times of both venues, unchanged.
   */
  closes?: {
    /**
     * Close time on venue_a.
     */
    venue_a: string | null;
    /**
     * Close time on venue_b; for the temperatures of a day, not before the day ends in its
     * city.
     */
    venue_b: string | null;
  };
  /**
   * Ladders only: all strikes of venue_a in its order.
   */
  venue_a_ladder?: {
    /**
     * Range or threshold, as venue_a labels it.
     */
    label: string;
    /**
     * Ask in USD; null without one.
     */
    venue_a: number | null;
  }[];
  /**
   * Outcomes that the market does not cover.
   */
  factors?: {
    /**
     * Outcomes of venue_a in this event that the market omits.
     */
    left_out_a?: {
      /**
       * Name of the outcome on the venue.
       */
      name: string;
      /**
       * Code: why it has no counterpart.
       */
      why: string;
    }[];
    /**
     * Outcomes of venue_b in this event that the market omits.
     */
    left_out_b?: {
      /**
       * Name of the outcome on the venue.
       */
      name: string;
      /**
       * Code: why it has no counterpart.
       */
      why: string;
    }[];
    /**
     * Share of the venue_b range that venue_a covers.
     */
    poly_leg_coverage?: number;
    /**
     * Names of the venue_b outcomes that venue_a does not cover.
     */
    uncovered_legs?: string[];
  };
  /**
   * With `include=ids`: ids of the venues.
   */
  venues?: {
    /**
     * Ids of venue_a.
     */
    venue_a: {
      /**
       * Event ticker of venue_a.
       */
      event_ticker: string;
    };
    /**
     * Ids of venue_b.
     */
    venue_b: {
      /**
       * Condition id of venue_b.
       */
      condition_id: string | null;
      /**
       * Slug of the event on venue_b.
       */
      slug: string | null;
    };
  };
  /**
   * With `include=ids`: confidence of the match.
   */
  confidence?: {
    /**
     * That both listings concern the same event or figure.
     */
    entity: number;
    /**
     * That both listings resolve by the same question.
     */
    resolution: number;
  };
  /**
   * Without the rule texts, which `GET /v2/pairs/{id}` has.
   */
  settlement?: {
    /**
     * Whether the resolution rule of the pair is confirmed: all settled pairs of the rule
     * agreed.
     */
    parity: boolean;
    /**
     * Worst first.
     */
    risks: Risk[];
    /**
     * Null until settled; then equal to `result.verdict`.
     */
    verdict: ('agree' | 'diverge' | 'edge_case') | null;
  };
  /**
   * With `include=best`: one for each outcome, in their order; empty without prices.
   */
  best?: {
    /**
     * The `key` of the outcome.
     */
    outcome: string;
    /**
     * The lowest `net` to buy; null without an ask whose fee is known.
     */
    buy: BestQuote | null;
    /**
     * The highest `net` to sell; null without a bid whose fee is known.
     */
    sell: BestQuote | null;
  }[];
  /**
   * With `include=best`: what one contract of every `buy` leaves of the $1 that they pay
   * together, in points. Mostly negative; only `/v2/arbitrage` has confirmed arbitrage. Null
   * where an outcome has no `buy`, and where one of each may not return $1.
   */
  best_edge_pct?: number | null;
  /**
   * With `levels`: when this service read the books, to the millisecond and not rounded.
   */
  levels_read_at?: {
    /**
     * When the books of venue_a were read; null without prices.
     */
    venue_a: string | null;
    /**
     * When the books of venue_b were read; null without prices.
     */
    venue_b: string | null;
  };
  /**
   * When the books of these prices were read, never rounded or delayed; null where a venue
   * has none.
   */
  books_read_at: {
    /**
     * When the book of venue_a was read.
     */
    venue_a: string | null;
    /**
     * When the book of venue_b was read.
     */
    venue_b: string | null;
  };
}
/**
 * The last quote of a leg, as in a `quote` frame.
 */
export interface Quote {
  /**
   * Type of the frame.
   */
  type: 'quote';
  /**
   * The venue of the contract.
   */
  venue: 'venue_a' | 'venue_b';
  /**
   * Ticker on venue_a, token id on venue_b.
   */
  contract_id: string;
  /**
   * Side of the contract of venue_a; null for a token of venue_b.
   */
  side: ('yes' | 'no') | null;
  /**
   * Best bid in USD; null without one.
   */
  bid: number | null;
  /**
   * Best ask in USD; null without one.
   */
  ask: number | null;
  /**
   * Contracts at the bid.
   */
  bid_size: number | null;
  /**
   * Contracts at the ask.
   */
  ask_size: number | null;
  /**
   * The venue’s own time of the message; null where the message has none.
   */
  venue_time: string | null;
  /**
   * When the message was read.
   */
  read_at: string | null;
  /**
   * The market that the contract belongs to.
   */
  market_id: string;
}
/**
 * The last best quotes of a market, as in a `best` frame.
 */
export interface Best {
  /**
   * Type of the frame.
   */
  type: 'best';
  /**
   * The market.
   */
  id: string;
  /**
   * Time of the prices.
   */
  priced_at: string | null;
  /**
   * When the books of these prices were read, never rounded or delayed.
   */
  books_read_at: {
    /**
     * When the book of venue_a was read.
     */
    venue_a: string | null;
    /**
     * When the book of venue_b was read.
     */
    venue_b: string | null;
  };
  /**
   * One for each outcome, in their order; empty without prices.
   */
  best: {
    /**
     * The `key` of the outcome.
     */
    outcome: string;
    /**
     * The lowest `net` to buy; null without an ask whose fee is known.
     */
    buy: BestQuote | null;
    /**
     * The highest `net` to sell; null without a bid whose fee is known.
     */
    sell: BestQuote | null;
  }[];
  /**
   * As `best_edge_pct` of a Market with `include=best`.
   */
  best_edge_pct: number | null;
}
/**
 * The organization of the key, its limits and its use.
 */
export interface Account {
  /**
   * The organization of the key. All its keys count together.
   */
  organization: {
    /**
     * Stable.
     */
    id: string;
    /**
     * The name that its owners chose.
     */
    name: string;
  };
  /**
   * Its tier.
   */
  tier: 'free' | 'basic' | 'premium' | 'pro';
  /**
   * Always `active`: with an inactive plan this route returns 402.
   */
  status: 'active';
  /**
   * The current rate-limit window.
   */
  window: {
    /**
     * Requests that the limit allows.
     */
    quota: number;
    /**
     * Requests used, this one included.
     */
    used: number;
    /**
     * Length of a window, from its first request.
     */
    seconds: 60;
    /**
     * End of this window.
     */
    resets_at: string;
  };
  /**
   * The UTC calendar month.
   */
  month: {
    /**
     * Requests that the limit allows.
     */
    quota: number;
    /**
     * Responses with data so far.
     */
    used: number;
    /**
     * Start of the next month, UTC.
     */
    resets_at: string;
  };
  /**
   * Maximum of concurrent stream connections.
   */
  stream_connections: number;
  /**
   * Maximum of webhook endpoints; 0: the tier includes none.
   */
  webhook_endpoints: number;
}
/**
 * The registered endpoint with its secret.
 */
export interface WebhookSecret {
  /**
   * Stable. Each delivery contains it as `endpoint_id`.
   */
  id: string;
  /**
   * URL of the receiver.
   */
  url: string;
  /**
   * Events that are delivered.
   */
  events: ('pair.created' | 'spread.threshold' | 'opportunity.opened')[];
  /**
   * Gap in points that fires `spread.threshold`.
   */
  min_spread_pts: number | null;
  /**
   * Smallest `edge_pct` that fires `opportunity.opened`.
   */
  min_edge_pct: number | null;
  /**
   * Smallest profit in USD at `max_contracts` that fires `opportunity.opened`.
   */
  min_profit_usd: number | null;
  /**
   * Time of the registration.
   */
  created_at: string;
  /**
   * Signs every delivery. Returned only once: store it now.
   */
  secret: string;
}
/**
 * Webhook endpoints of the organization.
 */
export interface WebhookList {
  /**
   * Number of endpoints.
   */
  count: number;
  /**
   * Oldest first.
   */
  webhooks: Webhook[];
}
/**
 * A webhook endpoint.
 */
export interface Webhook {
  /**
   * Stable. Each delivery contains it as `endpoint_id`.
   */
  id: string;
  /**
   * URL of the receiver.
   */
  url: string;
  /**
   * Events that are delivered.
   */
  events: ('pair.created' | 'spread.threshold' | 'opportunity.opened')[];
  /**
   * Gap in points that fires `spread.threshold`.
   */
  min_spread_pts: number | null;
  /**
   * Smallest `edge_pct` that fires `opportunity.opened`.
   */
  min_edge_pct: number | null;
  /**
   * Smallest profit in USD at `max_contracts` that fires `opportunity.opened`.
   */
  min_profit_usd: number | null;
  /**
   * Time of the registration.
   */
  created_at: string;
  /**
   * First characters of the secret.
   */
  secret_preview: string;
  /**
   * Until then deliveries are signed with the secret before the last roll too.
   */
  previous_secret_until: string | null;
  /**
   * `paused`: the plan is inactive or does not include webhooks. Deliveries resume when it
   * does again.
   */
  status: 'enabled' | 'disabled' | 'paused';
  /**
   * `delivery_failures`: 20 deliveries in a row failed. Enable it with `PATCH`.
   */
  disabled_reason: 'delivery_failures' | null;
  /**
   * Failed deliveries since the last success.
   */
  failure_count: number;
  /**
   * Deliveries that wait for an attempt or its result, at most 1,000. Older ones beyond that
   * fail with `backlog`.
   */
  pending: number;
  /**
   * Time of the last successful delivery.
   */
  last_success_at: string | null;
  /**
   * Time of the last failed delivery.
   */
  last_failure_at: string | null;
}
/**
 * The new secret of an endpoint.
 */
export interface WebhookRoll {
  /**
   * The endpoint.
   */
  id: string;
  /**
   * The new secret. Returned only once: store it now.
   */
  secret: string;
  /**
   * Until then deliveries are signed with the old secret too.
   */
  previous_secret_until: string;
}
/**
 * A delivery that is due now.
 */
export interface WebhookDeliveryId {
  /**
   * The delivery, as in the header `X-Svc-Delivery`.
   */
  delivery_id: string;
}
/**
 * A page of the delivery history of an endpoint.
 */
export interface WebhookDeliveries {
  /**
   * Number of deliveries on this page.
   */
  count: number;
  /**
   * Whether older ones follow.
   */
  has_more: boolean;
  /**
   * `cursor` of the next page. Null at the end.
   */
  next_cursor: string | null;
  /**
   * Newest first.
   */
  deliveries: WebhookDelivery[];
}
/**
 * A delivery and the result of its last attempt.
 */
export interface WebhookDelivery {
  /**
   * The same at each attempt, in the header `X-Svc-Delivery`.
   */
  delivery_id: string;
  /**
   * The event. `ping` is a test.
   */
  event: 'pair.created' | 'spread.threshold' | 'opportunity.opened' | 'ping';
  /**
   * The market of the event; null for a test.
   */
  pair_id: string | null;
  /**
   * The body, byte for byte.
   */
  body: string;
  /**
   * `waiting`: for an attempt or its result. `failed`: after four attempts, or beyond the
   * backlog. `dropped`: the endpoint was disabled or paused meanwhile.
   */
  state: 'waiting' | 'delivered' | 'failed' | 'dropped';
  /**
   * Attempts with a result.
   */
  attempts: number;
  /**
   * HTTP status of the last response. Null without a response.
   */
  last_status: number | null;
  /**
   * Code of the last failure. Null after a success.
   */
  last_error: string | null;
  /**
   * First 200 characters of the last response body.
   */
  last_answer: string | null;
  /**
   * Duration of the last attempt, ms.
   */
  last_took_ms: number | null;
  /**
   * When the event fired.
   */
  created_at: string;
  /**
   * When the next attempt is due. Null during an attempt and at the end.
   */
  next_attempt_at: string | null;
  /**
   * When it was delivered, failed or dropped.
   */
  finished_at: string | null;
}
/**
 * The terms of a closed opportunity at one time, from the books of both venues.
 */
export interface PastTerms2 {
  /**
   * When these terms began.
   */
  at: string;
  /**
   * Contracts of each leg that the books offered, with a precision of 0.01.
   */
  contracts: number;
  /**
   * Net profit after fees, in points of the $1 payout, as `edge_pct` there.
   */
  edge_pct: number;
  /**
   * USD for `contracts` of each leg, fees included, rounded up to 1e-6.
   */
  cost_usd: number;
  /**
   * USD: `contracts` minus `cost_usd`, exact. What the whole size locked in, after fees.
   */
  profit_usd: number;
}
