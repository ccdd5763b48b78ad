/**
 * Hand-written listings in the form that each venue sends, as small as the parsers allow, with the
 * venues' own wording of the rules.
 */

export const NOW = '2026-08-01T12:00:00Z';
export const context = { now: NOW };

type Side = { code: string; label: string };

const RULES_A =
  'If the game is postponed but begins within 48 hours from its originally scheduled start time, the market will remain open. If the game is not started within 48 hours, the market will resolve to a fair market price. If the game ends in a tie, the market will resolve to $0.50 for each team.';
const RULES_B =
  'If the game is postponed, this market will remain open until the game has been completed.\nIf the game is canceled entirely or ends in a tie, with no make-up game, this market will resolve 50-50.';

/** A game of venue_a, with one market for each side. */
export function gameA(
  ticker: string,
  title: string,
  sides: Side[],
  more: { competition?: string; milestone?: string } = {},
) {
  return {
    event_ticker: ticker,
    series_ticker: ticker.split('-')[0],
    title,
    mutually_exclusive: true,
    product_metadata: more.competition ? { competition: more.competition, competition_scope: 'Game' } : undefined,
    markets: sides.map((side) => ({
      ticker: `${ticker}-${side.code}`,
      yes_sub_title: side.label,
      close_time: '2026-08-12T00:00:00Z',
      rules_primary: `If ${side.label} wins the ${title} game, then the market resolves to Yes.`,
      rules_secondary: RULES_A,
    })),
  };
}

/** A milestone of venue_a that gives an event its start. */
export const milestoneOf = (ticker: string, start: string) => ({
  now: NOW,
  milestones: [{ primary_event_tickers: [ticker], start_date: start }],
});

/** A game of venue_b with two outcomes. */
export function gameB(
  slug: string,
  outcomes: [string, string],
  more: { start?: string; id?: string; text?: string } = {},
) {
  const id = more.id ?? slug;
  return {
    slug,
    title: `${outcomes[0]} vs. ${outcomes[1]}`,
    description:
      more.text ??
      `${outcomes.map((one) => `If the ${one} win, the market will resolve to "${one}".`).join('\n')}\n${RULES_B}`,
    markets: [
      {
        slug,
        conditionId: `0x${id}`,
        question: `${outcomes[0]} vs. ${outcomes[1]}`,
        outcomes: JSON.stringify(outcomes),
        clobTokenIds: JSON.stringify([`${id}:0`, `${id}:1`]),
        sportsMarketType: 'moneyline',
        gameStartTime: more.start,
        endDate: '2026-08-12T00:00:00Z',
      },
    ],
  };
}

/** One Yes/No market. `yes` is the index of Yes among the outcomes. */
export function yesNo(slug: string, group: string, yes: 0 | 1 = 0, type: string | undefined = undefined) {
  return {
    slug,
    conditionId: `0x${slug}`,
    question: `Will ${group} win?`,
    groupItemTitle: group,
    outcomes: JSON.stringify(yes === 0 ? ['Yes', 'No'] : ['No', 'Yes']),
    clobTokenIds: JSON.stringify([`${slug}:0`, `${slug}:1`]),
    sportsMarketType: type,
    endDate: '2026-12-01T00:00:00Z',
  };
}

export const futureA = (ticker: string, title: string, sides: Side[]) => ({
  event_ticker: ticker,
  series_ticker: ticker.split('-')[0],
  title,
  mutually_exclusive: true,
  markets: sides.map((side) => ({
    ticker: `${ticker}-${side.code}`,
    yes_sub_title: side.label,
    close_time: '2027-03-01T00:00:00Z',
    rules_primary: `If ${side.label} wins, then the market resolves to Yes.`,
  })),
});

export const futureB = (slug: string, title: string, groups: string[]) => ({
  slug,
  title,
  description: 'This market will resolve to "Yes" if the named team wins. Otherwise, this market will resolve to "No".',
  endDate: '2027-02-14T00:00:00Z',
  markets: groups.map((group) => yesNo(`${slug}-${group.toLowerCase().replace(/\W+/g, '-')}`, group)),
});
