/** A bound parameter. JSON is bound as text; an array of text becomes a Postgres array. */
export type SqlValue = string | number | boolean | Date | null | readonly string[];

/**
 * Converts a parameter for the driver, which would write a Date in the time zone of the isolate.
 */
export function bindValue(value: SqlValue): string | null | string[] {
  if (value === null) return null;
  if (Array.isArray(value)) return value;
  return value instanceof Date ? value.toISOString() : String(value);
}

const asNumber = (text: string): number => Number(text);
const asJson = (text: string): unknown => JSON.parse(text);

/** By type oid: boolean, int2, int4, oid, float4, float8, json, jsonb. */
const parsers = new Map<number, (text: string) => unknown>([
  [16, (text) => text === 't'],
  ...[21, 23, 26, 700, 701].map((oid) => [oid, asNumber] as const),
  ...[114, 3802].map((oid) => [oid, asJson] as const),
]);

const asText = (text: string): string => text;

/**
 * The parser for a column type. Values that JavaScript would round or move to another time zone
 * stay the text that Postgres wrote.
 */
export function rowReader(oid: number): (text: string) => unknown {
  return parsers.get(oid) ?? asText;
}
