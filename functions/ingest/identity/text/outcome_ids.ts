import { jsonInText } from './json_in_text.ts';

/**
 * Which ids of a market of venue_b can be traded. A market may list two sets of ids, and only its
 * `version` decides: v2 trades its `positionIds`, v1 its `clobTokenIds`, even when both are present
 * (migration guide, 2026-08-22). The ids of the other set have no order book, or another one.
 */

export type OutcomeIds = { ok: true; ids: string[] } | { ok: false; code: string; detail: string };

type ListedIds = { version?: unknown; positionIds?: unknown; clobTokenIds?: unknown };

/** A position id is a 256-bit number in decimal. */
const POSITION_ID = /^\d{1,78}$/;

/** Reads the ids of a market's outcomes, in the order of its outcomes. */
export function outcomeIds({ version, positionIds, clobTokenIds }: ListedIds): OutcomeIds {
  // Recordings from before the protocol v2 have no version.
  if (version === undefined || version === null || version === 'v1')
    return idsIn('clobTokenIds', jsonInText(clobTokenIds));
  if (version !== 'v2') {
    const detail = `The market has the version ${JSON.stringify(version)}, and only v1 and v2 are known.`;
    return { ok: false, code: 'market.unknown_version', detail };
  }
  const ids = idsIn('positionIds', positionIds);
  return !ids.ok || ids.ids.every((id) => POSITION_ID.test(id)) ? ids : wrongType('positionIds');
}

/** The same ids for the parsers of questions. None when they cannot be read. */
export function outcomeTokens(market: ListedIds): string[] {
  const found = outcomeIds(market);
  return found.ok ? found.ids : [];
}

function idsIn(field: string, value: unknown): OutcomeIds {
  if (value === undefined || value === null)
    return { ok: false, code: 'market.missing_field', detail: `The field ${field} is missing.` };
  if (!Array.isArray(value)) return wrongType(field);
  const ids = value.filter((one): one is string => typeof one === 'string');
  return ids.length === value.length ? { ok: true, ids } : wrongType(field);
}

const wrongType = (field: string): OutcomeIds => ({
  ok: false,
  code: 'market.wrong_type',
  detail: `The field ${field} is invalid: it is no list of ids.`,
});
