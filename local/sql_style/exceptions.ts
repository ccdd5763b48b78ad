/**
 * Findings of the SQL linter that are no faults, each with the reason. An entry that matches no
 * finding is reported.
 */
export const exceptions: readonly { rule: string; message: RegExp; why: string }[] = [
  {
    rule: 'unused',
    message: /^Function api\.get_(?:categories|leagues|coverage) does not use its parameter p_params\.$/,
    why: 'every function behind a route takes the parameters of the request, so that api.answer calls them alike',
  },
  {
    rule: 'naming',
    message: /^Parameter [ab] of catalog\.(?:moved_onto|pair_facts|collect_pair_facts): begin it with p_\.$/,
    why: 'the two questions of a pair, which are a and b in every query of the match pass',
  },
];
