import { cryptoA } from '../../functions/ingest/identity/price/crypto_a.ts';
import { cryptoB } from '../../functions/ingest/identity/price/crypto_b.ts';
import type { RawObject } from '../../functions/ingest/identity/text/raw_object.ts';
import type { Question } from '../../functions/ingest/listing.ts';

/** Price ladders of both venues, parsed on a day in July. */
export const context = { now: '2026-07-10T12:00:00Z' };
export const a = (event: RawObject): Question | undefined => cryptoA(event, context)[0];
export const b = (event: RawObject): Question[] => cryptoB(event, context);

export const marketB = (question: string, more: RawObject = {}): RawObject => ({
  question,
  conditionId: `0x${question}`,
  outcomes: '["Yes","No"]',
  clobTokenIds: `["${question}:0","${question}:1"]`,
  ...more,
});
