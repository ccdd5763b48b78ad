import { applyAliases, applyLeagues } from './identity/names/registry.ts';
import { questionsOfVenueA } from './identity/venue_a.ts';
import { questionsOfVenueB } from './identity/venue_b.ts';
import type { Parsers } from './venues.ts';

/** The question parsers of each venue, and how they get the confirmed aliases and leagues. */
export const parsers: Parsers = {
  venue_a: questionsOfVenueA,
  venue_b: questionsOfVenueB,
  applyAliases,
  applyLeagues,
};
