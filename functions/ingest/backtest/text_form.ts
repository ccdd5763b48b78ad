import { createHash } from 'node:crypto';
import { COMPETITIONS } from '../identity/names/registry.ts';
import { normalize } from '../identity/text/text.ts';
import type { Json, ListedEvent, Question } from '../listing.ts';

/**
 * The form of a contract's text: what is left when the names of the participants and of the
 * competition, dates and numbers are taken out. Two rules whose texts have the same forms differ
 * only in whom they name (docs/decisions/009-pooled-rules.md).
 */

const DATES =
  /\b(?:january|february|march|april|may|june|july|august|september|october|november|december|jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec|monday|tuesday|wednesday|thursday|friday|saturday|sunday|e[sd]?t|utc|gmt|am|pm)\b/g;
const NUMBERS = /\b\d+(?:st|nd|rd|th)?\b/g;

/** Adds `text_form` to the identity of each question of an event. */
export function addTextForms(event: ListedEvent): void {
  const texts = new Map(event.markets.map((market) => [market.market_id, market.rules]));
  const forms = new Map<string, string>();
  const names = knownNames(namesOf(event));
  for (const question of event.questions) {
    const text = texts.get(question.legs[0]?.market_id ?? '');
    if (!text) continue;
    let form = forms.get(text);
    if (form === undefined) {
      form = createHash('md5').update(textForm(text, names)).digest('hex');
      forms.set(text, form);
    }
    question.identity.text_form = form;
  }
}

/** Normalized names, the longest first: a short one may be a part of a long one. */
export function knownNames(names: readonly string[]): string[] {
  return [...new Set(names.map(normalize))].filter((name) => name.length > 1).sort((a, b) => b.length - a.length);
}

/** Replaces the names (of `knownNames`), dates and numbers of a text. */
export function textForm(text: string, known: readonly string[]): string {
  let form = ` ${normalize(text)} `;
  for (const name of known) form = form.replaceAll(` ${name} `, ' @ ');
  return form
    .replace(DATES, '#')
    .replace(NUMBERS, '#')
    .replace(/#(?: #)+/g, '#')
    .replace(/@(?: @)+/g, '@')
    .trim();
}

/** The names that the texts of an event may contain: participants, outcomes and the competition. */
function namesOf(event: ListedEvent): string[] {
  const names = [
    ...event.title.split(BETWEEN_NAMES),
    ...event.markets.flatMap((market) => market.contracts.map((contract) => contract.label ?? '')),
    ...teamNames(event.payload),
    ...event.questions.flatMap(namesOfQuestion),
  ];
  return names.flatMap((name) => [name, ...name.split(/\s+/).slice(-1)].filter((part) => part.length > 2));
}

const BETWEEN_NAMES = / (?:vs\.?|at|v) |[:,-]/;

function namesOfQuestion({ title, home, away, legs, competition, identity }: Question): string[] {
  const league = COMPETITIONS.get(String(identity.competition ?? competition ?? ''));
  return [
    ...title.split(BETWEEN_NAMES),
    home ?? '',
    away ?? '',
    competition ?? '',
    ...legs.map((leg) => leg.outcome_name),
    ...(league ? [league.name, ...league.venue_a.names, ...league.words] : []),
  ];
}

/** The names of venue_b's teams: name, nickname and abbreviation. */
function teamNames(payload: Json): string[] {
  const teams = payload !== null && typeof payload === 'object' && !Array.isArray(payload) ? payload.teams : null;
  if (!Array.isArray(teams)) return [];
  return teams.flatMap((team) =>
    team !== null && typeof team === 'object' && !Array.isArray(team)
      ? [team.name, team.alias, team.abbreviation].filter((name): name is string => typeof name === 'string')
      : [],
  );
}
