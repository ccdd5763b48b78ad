/**
 * The terms of the service, one sentence each, for people and models. The risk codes are those of
 * sql/337_catalog_risks.sql, sql/336_catalog_risk_clauses.sql and
 * sql/3365_catalog_contest_risks.sql (tests/mcp/glossary.db.test.ts compares them).
 */
export const GLOSSARY = {
  signals: {
    arb: 'All four gates are open now. potential_arb_pct is the gross return before fees; only find_arbitrage returns the profit after fees.',
    spread: 'A price gap with its settlement risks: an observation, not a return. Every row with a closed gate.',
    candidates: 'A list, not a signal: pairs under review, never arb.',
    'gate band':
      'Open when the pair is in the catalog, its band is EXACT or HIGH, and both confidences are at least 0.95.',
    'gate parity': 'Open when its resolution rule is confirmed: enough settled pairs of the rule, all of which agreed.',
    'gate risk': 'Open without a high or critical settlement risk. Risks of cancellation count, but are not listed.',
    'gate priced': 'Open when both venues have fresh, valid, uncrossed prices for every outcome.',
    spread_pts: 'The largest difference between both asks over the outcomes, in points: cents of the $1 payout.',
    edge_pct: 'Profit left after both venues’ fees, in points of the $1 payout.',
  },
  bands: {
    EXACT:
      'Both listings ask exactly the same question. For a ladder outcome: one outcome on each venue with the same range.',
    HIGH: 'The match is sure enough to publish: both confidences are at least 0.95.',
    REVIEW:
      'The match or its settlement is not sure: the pair is never arb. Threshold ladders and rate decisions always have this band.',
    OVERLAPS: 'For a ladder outcome: the ranges of the venues overlap, so it has no venue_a price.',
    DERIVED: 'For a ladder outcome: bounded by thresholds of venue_a, so it has a venue_b price only.',
    low: 'A risk that costs less than a tenth of a cent per $1 of payout.',
    medium: 'A risk of about a tenth of a cent per $1.',
    high: 'A risk of about a cent or more per $1, as much as an arbitrage earns: it sets signal to spread.',
    critical: 'The contracts settle by different facts: it sets signal to spread.',
  },
  risks: {
    abandoned: 'A match that starts and is not finished pays differently.',
    announcement_vs_effect: 'One venue counts the announcement, the other the date of effect.',
    candidate_withdrawal: 'A candidate who withdraws or is replaced is settled differently.',
    compound_words: 'A word inside a compound counts on one venue only.',
    contract_month: 'The venues settle by different futures contracts.',
    dead_heat: 'Several winners share the payout differently.',
    death_carve_out:
      'A text settles the death of a person of the market: one venue pays the last price before it, the other resolves the contract.',
    early_close: 'One venue pays as soon as the result is known, the other may wait: capital is tied up longer.',
    election_call:
      'The venues take the result from different steps: the call of the media, the certified result, or who takes office.',
    election_recount: 'Only one venue has a rule for a recount.',
    election_runoff: 'The venues treat a runoff or a second round differently.',
    emergency_decision: 'A decision between the regular meetings counts on one venue only.',
    event_cancelled: 'An event or award that does not take place is settled differently.',
    forfeit: 'A side that forfeits after the start is settled differently.',
    mirrored_side: 'venue_a lists one side only; its NO is the other side.',
    missing_figure: 'A figure that is never published is settled differently.',
    no_contest: 'A bout without a result pays differently.',
    other_outcome: 'One venue has a rule for a result that is not listed, the other has none.',
    overtime_scope: 'One venue counts overtime, the other regulation time only.',
    partition_gap: 'A possible outcome is missing on one venue: all legs together may pay nothing.',
    party_affiliation: 'The venues read the party of a winner differently, which matters for independents.',
    postponement_window: 'One venue waits longer for a postponed game than the other.',
    push_rule: 'A result exactly on the line pays differently.',
    retirement: 'A player who retires after the start is settled differently.',
    revised_figures: 'One venue counts the first figure, the other a revised one.',
    rounding: 'The venues round the figure differently.',
    rules_conflict: 'The rules of one venue contradict themselves.',
    rules_contradict_fields: 'The rules of a venue contradict its listing.',
    rules_unread: 'A venue has no rules text, or the text does not state when it pays.',
    seasonal_adjustment: 'One venue uses the seasonally adjusted figure, the other the unadjusted one.',
    settlement_deadline: 'The venues wait until different days for a result.',
    settlement_source: 'The venues settle by different sources.',
    settlement_time: 'The venues settle by different times, days or averages.',
    several_can_pay: 'The outcomes are price levels: several can pay, or none, so one of each does not return $1.',
    special_election: 'One text names a special election, the other does not: it may be another election.',
    station_mismatch: 'The venues use different weather stations.',
    station_unread: 'A venue’s text names no weather station.',
    threshold_comparison: 'Exactly at the threshold one venue pays and the other does not.',
    tie_handling: 'A tie pays differently.',
    transcript_source: 'The venues prove the spoken words by different recordings or transcripts.',
    unfilled_template: 'The rules of a venue are a template with unfilled blanks.',
    void_pays_zero: 'If the game is never played, one venue pays $0 on every outcome: the whole stake there is lost.',
    void_rule: 'If the game is never played, one venue pays a fair price and the other 50-50 or another amount.',
    walkover: 'A side that does not start is settled differently.',
    word_forms: 'The venues count different forms of a word, or a text does not state which.',
  },
} as const satisfies Record<string, Record<string, string>>;

export type GlossaryTopic = keyof typeof GLOSSARY;
