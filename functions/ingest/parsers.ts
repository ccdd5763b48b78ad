import { addTextForms } from './backtest/text_form.ts';
import { applyAliases, applyLeagues } from './identity/names/registry.ts';
import { questionsOfVenueA } from './identity/venue_a.ts';
import { questionsOfVenueB } from './identity/venue_b.ts';
import type { Parsers } from './venues.ts';

/**
 * The question parsers of each venue, the text forms of settled contracts, and how they get the
 * confirmed aliases and leagues: all that needs the registry of names, which takes longer to load
 * than the rest of the function. A worker that reads books only does not load it.
 */
export const parsers: Parsers = {
  venue_a: questionsOfVenueA,
  venue_b: questionsOfVenueB,
  addTextForms,
  applyAliases,
  applyLeagues,
};
