import type { JsonSchema } from '../../contract/json_schema.ts';

/** The blocks of a market that a tool takes in `include`. The text has the others unasked. */
export const includeRange: JsonSchema = { items: { type: 'string', enum: ['ids', 'depth', 'settlement'] } };
