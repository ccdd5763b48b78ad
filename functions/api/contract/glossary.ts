/**
 * What the service's own words mean, a sentence each: the one place that they are written down for people and models. The risk codes
 * are those that sql/337_catalog_risks.sql and sql/336_catalog_risk_clauses.sql give; tests/mcp/glossary.test.ts holds both against each other.
 */
export const GLOSSARY = {
  signals: {
    arb: 'Confirmed parity: all four gates hold now. potential_arb_pct is the gross return, before fees; only find_arbitrage speaks of what is left after them.',
    spread:
      'A gap between the venues with its settlement risk disclosed: an observation, not a return. Any row that fails a gate.',
    candidates: 'Not a signal but a list: pairs still under review, never arb.',
    'gate band': 'The pair is in the catalog, its band is EXACT or HIGH, and both confidences are at least 0.95.',
    'gate parity': 'Its resolution rule is confirmed: enough settled pairs of that rule, all of which agreed.',
    'gate risk': 'No high or critical settlement risk, including ones about cancellation that are never listed.',
    'gate priced': 'Both venues are priced on every outcome, in a fresh, uncrossed frame.',
    spread_pts: 'The widest difference of both asks over the outcomes, in points: cents of the $1 payout.',
    edge_pct: 'Profit left after both venues’ fees, in points of the $1 payout.',
  },
  bands: {
    EXACT: 'The match is exact: the same question by every named signal. Of a ladder’s outcome: a one-to-one twin.',
    HIGH: 'The match is sure enough to publish: both confidences at least 0.95.',
    REVIEW:
      'Not sure, or a caution about settlement: such a pair is never arb. Threshold ladders and rate decisions stay here by rule.',
    OVERLAPS: 'Of a ladder’s outcome: the venues’ band edges are offset, so it has no venue_a price.',
    DERIVED:
      'Of a ladder’s outcome: venue_a supports it by its cumulative ladder alone; only venue_b’s price is shown.',
    low: 'A risk that costs less than a tenth of a cent per $1 of payout.',
    medium: 'A risk of about a tenth of a cent per $1.',
    high: 'A risk of about a cent or more per $1, which is what an arbitrage earns: it forces signal to spread.',
    critical: 'The contracts do not settle by the same thing at all: it forces signal to spread.',
  },
  risks: {
    abandoned: 'A match that begins and is not finished pays differently.',
    announcement_vs_effect: 'One venue counts what is announced, the other what takes effect.',
    contract_month: 'The venues settle by different futures contracts.',
    dead_heat: 'Several winners share the payout differently.',
    early_close: 'One venue pays as soon as it is decided, the other may wait: capital is held longer.',
    emergency_decision: 'A decision between the regular meetings counts on one venue only.',
    forfeit: 'A side that gives up after the start is settled differently.',
    mirrored_side: 'venue_a lists one side only; its NO stands for the other.',
    missing_figure: 'A figure that is never published is handled differently.',
    no_contest: 'A bout without a result pays differently.',
    overtime_scope: 'One venue counts overtime, the other regulation time alone.',
    partition_gap: 'An outcome that can come true is missing on one venue: buying all legs may pay nothing.',
    postponement_window: 'A postponed game is waited for longer on one venue than on the other.',
    push_rule: 'A result exactly on the line pays differently.',
    retirement: 'A player who gives up after the start is settled differently.',
    revised_figures: 'One venue counts the first figure, the other a revised one.',
    rounding: 'The figure is rounded, or read to a decimal, differently.',
    rules_conflict: 'One venue’s own rules give two answers.',
    rules_contradict_fields: 'A venue’s rules speak of something else than its listing.',
    rules_unread: 'A venue has no rules text, or one that does not say when it pays.',
    seasonal_adjustment: 'One venue takes the seasonally adjusted figure, the other the unadjusted.',
    settlement_source: 'The venues settle by different sources.',
    settlement_time: 'The venues settle by different moments, days or averages.',
    several_can_pay: 'The outcomes are price levels: several can pay, or none, so one of each does not return $1.',
    station_mismatch: 'The venues read different weather stations.',
    station_unread: 'A venue’s text names no weather station.',
    threshold_comparison: 'At the threshold itself one venue pays and the other does not.',
    tie_handling: 'A tie pays differently.',
    unfilled_template: 'A venue’s rules are a template whose blanks were never filled in.',
    void_pays_zero: 'If it is never played, one venue pays $0 on every outcome: the whole stake there is lost.',
    void_rule: 'If it is never played, one venue pays a fair price and the other 50-50 or something else.',
    walkover: 'A side that does not start is settled differently.',
  },
} as const satisfies Record<string, Record<string, string>>;

export type GlossaryTopic = keyof typeof GLOSSARY;
