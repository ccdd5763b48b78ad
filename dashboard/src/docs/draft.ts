import type { Endpoint, Parameter, Schema } from './document.ts';

/**
 * A request that the reader prepares. `values`: a text for each parameter, as the address has it.
 * `body`: JSON as text; undefined for an operation without a body.
 */
export type Draft = { values: Readonly<Record<string, string>>; body: string | undefined };

/** The recorded request of an endpoint. Without one, all values are empty. */
export function draftOf({ path, operation }: Endpoint): Draft {
  const example = operation['x-example-request'];
  const [pathname = '', query = ''] = (example?.path ?? '').split('?');
  const given = pathname.split('/');
  const ofPath = path.split('/').flatMap((part, index): [string, string][] => {
    const name = /^\{(\w+)\}$/.exec(part)?.[1];
    return name && given[index] ? [[name, decodeURIComponent(given[index])]] : [];
  });
  const body = example?.body ?? (operation.requestBody && {});
  return {
    values: Object.fromEntries([...ofPath, ...new URLSearchParams(query)]),
    body: body && JSON.stringify(body, null, 2),
  };
}

/**
 * Path and query of a draft. A missing value of the path keeps its braces. `withRequired`: a
 * missing required value of the query becomes `…`.
 */
export function addressOf({ path, operation }: Endpoint, { values }: Draft, withRequired = false): string {
  const filled = path.replaceAll(/\{(\w+)\}/g, (braces, name: string) => encoded(values[name] ?? '') || braces);
  const ofQuery = (operation.parameters ?? []).filter((parameter) => parameter.in === 'query');
  const names = new Set([...Object.keys(values), ...ofQuery.map(({ name }) => name)]);
  const pairs = [...names].flatMap((name) => {
    const parameter = ofQuery.find((one) => one.name === name);
    const value = values[name] || (withRequired && parameter?.required ? '…' : '');
    return parameter && value ? [`${encoded(name)}=${value === '…' ? value : encoded(value)}`] : [];
  });
  return filled + (pairs.length > 0 ? `?${pairs.join('&')}` : '');
}

/** Commas and colons stay readable; a query may contain both. */
const encoded = (text: string): string => encodeURIComponent(text).replaceAll('%2C', ',').replaceAll('%3A', ':');

/** The names of the path that have no value yet. */
export const missingOf = ({ path }: Endpoint, { values }: Draft): string[] =>
  [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name).filter((name) => !values[name]);

/** The value of a parameter with the type of its schema. A text of another type stays a text. */
export function typedValue({ schema }: Parameter, text: string): unknown {
  if (schema.type === 'array') return text.split(',').map((item) => scalar(schema.items ?? {}, item));
  return scalar(schema, text);
}

function scalar({ type }: Schema, text: string): unknown {
  if ((type === 'integer' || type === 'number') && /^-?\d+(\.\d+)?$/.test(text)) return Number(text);
  if (type === 'boolean' && /^(true|false)$/.test(text)) return text === 'true';
  return text;
}

/** The body of a draft as a value. Undefined where there is none; throws where it is not JSON. */
export const bodyOf = ({ body }: Draft): unknown => (body === undefined ? undefined : JSON.parse(body));
