import fc from 'fast-check';
import type { RawObject } from '../../functions/ingest/identity/text/raw_object.ts';

/** Corrupted values of a listing field: any JSON, and texts that are nearly valid. */
export const corruptedValue = (...nearly: string[]): fc.Arbitrary<unknown> =>
  fc.oneof(fc.jsonValue(), fc.constantFrom('greater', '2026-06-08T12:00:00Z', '["Yes","No"]', ...nearly));

/**
 * A market of either venue whose fields, those that the ladder parsers read, are `value` or
 * missing.
 */
export const corruptedMarket = (value: fc.Arbitrary<unknown>): fc.Arbitrary<RawObject> =>
  fc.dictionary(
    fc.constantFrom(
      ...['ticker', 'yes_sub_title', 'title', 'strike_type', 'floor_strike', 'cap_strike', 'rules_primary'],
      ...[
        'groupItemTitle',
        'question',
        'slug',
        'outcomes',
        'clobTokenIds',
        'positionIds',
        'version',
        'conditionId',
        'endDate',
        'description',
      ],
    ),
    value,
  ) as fc.Arbitrary<RawObject>;
