import fc from 'fast-check';
import type { RawObject } from '../../functions/ingest/identity/text/raw_object.ts';

/** What a field of a listing may hold that is not what it should: any JSON, and texts that are nearly right. */
export const garbledValue = (...nearly: string[]): fc.Arbitrary<unknown> =>
  fc.oneof(fc.jsonValue(), fc.constantFrom('greater', '2026-06-08T12:00:00Z', '["Yes","No"]', ...nearly));

/** A market of either venue whose fields, those that the ladders' parsers read, hold `value` or are missing. */
export const garbledMarket = (value: fc.Arbitrary<unknown>): fc.Arbitrary<RawObject> =>
  fc.dictionary(
    fc.constantFrom(
      ...['ticker', 'yes_sub_title', 'title', 'strike_type', 'floor_strike', 'cap_strike', 'rules_primary'],
      ...['groupItemTitle', 'question', 'slug', 'outcomes', 'clobTokenIds', 'conditionId', 'endDate', 'description'],
    ),
    value,
  ) as fc.Arbitrary<RawObject>;
