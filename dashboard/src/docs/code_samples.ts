import type { Endpoint } from './document.ts';
import type { Sample } from './sample_language.ts';

/**
 * The example request of an endpoint. Without a recorded example, the path has its required
 * parameters to fill in.
 */
type SampleRequest = {
  method: string;
  url: string;
  headers: Record<string, string>;
  body: object | undefined;
  /** Whether the success response has a JSON body. */
  hasJson: boolean;
};

/**
 * The request of an endpoint as curl, TypeScript and Python. All three send the same request to
 * `baseUrl`.
 */
export function samplesOf(endpoint: Endpoint, baseUrl: string): Sample[] {
  const request = requestOf(endpoint, baseUrl);
  return [
    { language: 'curl', label: 'curl', text: curlSample(request) },
    { language: 'typescript', label: 'TypeScript', text: typescriptSample(request) },
    { language: 'python', label: 'Python', text: pythonSample(request) },
  ];
}

function requestOf({ method, path, operation }: Endpoint, baseUrl: string): SampleRequest {
  const example = operation['x-example-request'];
  const required = (operation.parameters ?? []).filter((parameter) => parameter.in === 'query' && parameter.required);
  const query = required.map((parameter) => `${parameter.name}=…`).join('&');
  const success = Object.entries(operation.responses).find(([status]) => status.startsWith('2'))?.[1];
  return {
    method,
    url: baseUrl + (example?.path ?? path + (query ? `?${query}` : '')),
    headers: {
      ...(!operation.security && { Authorization: 'Bearer YOUR_KEY' }),
      ...(example?.body && { 'Content-Type': 'application/json' }),
    },
    body: example?.body,
    hasJson: success?.content?.['application/json'] !== undefined,
  };
}

function curlSample({ method, url, headers, body }: SampleRequest): string {
  const quoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;
  const lines = [`curl -s ${quoted(url)}${method === 'GET' ? '' : ` -X ${method}`}`];
  for (const [name, value] of Object.entries(headers)) lines.push(`-H ${quoted(`${name}: ${value}`)}`);
  if (body) lines.push(`-d ${quoted(JSON.stringify(body))}`);
  return lines.join(' \\\n  ');
}

function typescriptSample({ method, url, headers, body, hasJson }: SampleRequest): string {
  const options = [
    ...(method === 'GET' ? [] : [`method: ${typescriptText(method)}`]),
    ...(Object.keys(headers).length === 0 ? [] : [`headers: ${typescriptHeaders(headers)}`]),
    ...(body ? [`body: JSON.stringify(${indented(JSON.stringify(body, null, 2), '  ')})`] : []),
  ];
  const init = options.length === 0 ? '' : `, {\n${options.map((option) => `  ${option},\n`).join('')}}`;
  return [
    `const response = await fetch(${typescriptText(url)}${init});`,
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the placeholder belongs to the sample.
    'if (!response.ok) throw new Error(`${response.status} ${await response.text()}`);',
    `console.log(${hasJson ? 'await response.json()' : 'response.status'});`,
  ].join('\n');
}

const typescriptText = (text: string): string => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;

function typescriptHeaders(headers: Record<string, string>): string {
  const entries = Object.entries(headers).map(
    ([name, value]) => `${/^\w+$/.test(name) ? name : typescriptText(name)}: ${typescriptText(value)}`,
  );
  return `{ ${entries.join(', ')} }`;
}

function pythonSample({ method, url, headers, body, hasJson }: SampleRequest): string {
  const options = [
    JSON.stringify(url),
    ...(method === 'GET' ? [] : [`method=${JSON.stringify(method)}`]),
    ...(Object.keys(headers).length === 0
      ? []
      : [`headers=${JSON.stringify(headers).replaceAll(/(":|",)(?=")/g, '$1 ')}`]),
    ...(body ? [`data=json.dumps(${indented(pythonLiteral(body, ''), '    ')}).encode()`] : []),
  ];
  const request =
    options.length === 1 ? `Request(${options[0]})` : `Request(\n${options.map((one) => `    ${one},\n`).join('')})`;
  return [
    ...(body || hasJson ? ['import json'] : []),
    'from urllib.request import Request, urlopen',
    '',
    `request = ${request}`,
    'with urlopen(request) as response:',
    `    print(${hasJson ? 'json.load(response)' : 'response.status'})`,
  ].join('\n');
}

/** A JSON value as a Python literal: None, True and False, and 4 spaces of indentation. */
function pythonLiteral(value: unknown, indent: string): string {
  if (value === null) return 'None';
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  if (typeof value !== 'object') return JSON.stringify(value);
  const deeper = `${indent}    `;
  const items = Array.isArray(value)
    ? value.map((item) => pythonLiteral(item, deeper))
    : Object.entries(value).map(([key, item]) => `${JSON.stringify(key)}: ${pythonLiteral(item, deeper)}`);
  const [open, close] = Array.isArray(value) ? ['[', ']'] : ['{', '}'];
  return items.length === 0
    ? open + close
    : `${open}\n${items.map((item) => `${deeper}${item},\n`).join('')}${indent}${close}`;
}

/** Indents all lines but the first. */
const indented = (text: string, indent: string): string => text.replaceAll('\n', `\n${indent}`);
