import { type ApiDocument, nameOf, resolve, type Schema } from './document.ts';

/** A type in words: `number or null`, `array of Outcome`, `time`. */
export function typeText(schema: Schema): string {
  const named = nameOf(schema);
  if (named) return named;
  if (schema.anyOf) return schema.anyOf.map(typeText).join(' or ');
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  const types = [schema.type ?? 'anything'].flat();
  return types.map((type) => oneType(type, schema)).join(' or ');
}

function oneType(type: string, schema: Schema): string {
  if (type === 'array') return schema.items ? `array of ${typeText(schema.items)}` : 'array';
  if (type === 'string' && schema.format === 'date-time') return 'time';
  if (type === 'string' && schema.format === 'uri') return 'URL';
  return type;
}

/** The range of a value: `0 to 1`, `over 0`, `at most 200 characters`. */
export function rangeText(schema: Schema): string {
  const of = schema.anyOf?.find((one) => one.type !== 'null') ?? schema;
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, maxLength } = of;
  const words: string[] = [];
  if (minimum !== undefined && maximum !== undefined && maximum < 2 ** 31 - 1) words.push(`${minimum} to ${maximum}`);
  else {
    if (minimum !== undefined && minimum > exclusiveOr(exclusiveMinimum)) words.push(`at least ${minimum}`);
    if (maximum !== undefined && maximum < 2 ** 31 - 1) words.push(`at most ${maximum}`);
  }
  if (exclusiveMinimum !== undefined) words.push(`over ${exclusiveMinimum}`);
  if (exclusiveMaximum !== undefined) words.push(`under ${exclusiveMaximum}`);
  if (maxLength !== undefined) words.push(`at most ${maxLength} characters`);
  return words.join(', ');
}

const exclusiveOr = (bound: number | undefined): number => bound ?? Number.NEGATIVE_INFINITY;

/** The values of an enum, or an empty list. */
export function choices(schema: Schema): string[] {
  const of = schema.items ?? schema.anyOf?.find((one) => one.enum) ?? schema;
  return (of.enum ?? []).filter((word) => word !== null).map(String);
}

/**
 * The object schema of a value: of an object, or of the items of a list. Undefined for other
 * values.
 */
export function itemSchema(api: ApiDocument, schema: Schema): Schema | undefined {
  const of = resolve(api, schema);
  if (of.properties) return of;
  if (of.items) return itemSchema(api, of.items);
  for (const one of of.anyOf ?? []) {
    const found = itemSchema(api, one);
    if (found) return found;
  }
  return undefined;
}
