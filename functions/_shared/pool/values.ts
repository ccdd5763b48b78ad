/** A bound parameter. JSON is bound as text. An array of text becomes an array of Postgres. */
export type SqlValue = string | number | boolean | Date | null | readonly string[];

/** The parameter as the driver gets it. The driver would write a Date in the isolate's own time zone. */
export function bindValue(value: SqlValue): string | null | string[] {
  if (value === null) return null;
  if (Array.isArray(value)) return value;
  return value instanceof Date ? value.toISOString() : String(value);
}

const asNumber = (text: string): number => Number(text);
const asJson = (text: string): unknown => JSON.parse(text);

/** By type oid: boolean, int2, int4, oid, float4, float8, json, jsonb. */
const readers = new Map<number, (text: string) => unknown>([
  [16, (text) => text === 't'],
  ...[21, 23, 26, 700, 701].map((oid) => [oid, asNumber] as const),
  ...[114, 3802].map((oid) => [oid, asJson] as const),
]);

const asText = (text: string): string => text;

/** How a column comes: everything that JavaScript would round, or move to another time zone, stays the text that Postgres wrote. */
export function rowReader(oid: number): (text: string) => unknown {
  return readers.get(oid) ?? asText;
}
