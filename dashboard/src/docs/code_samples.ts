import type { Endpoint } from './document.ts';
import { addressOf, bodyOf, type Draft, typedValue } from './draft.ts';
import { pythonLiteral, typescriptLiteral, typescriptText } from './literals.ts';
import type { Sample } from './sample_language.ts';

type SampleRequest = {
  endpoint: Endpoint;
  baseUrl: string;
  /** Path and query after the base URL. */
  address: string;
  /** Parameters with the types of their schemas, by place. */
  path: Record<string, unknown>;
  query: Record<string, unknown>;
  /** Headers that this endpoint needs in addition. */
  headers: Record<string, string>;
  body: unknown;
};

/**
 * The request of a draft as curl, and with the packages for TypeScript and Python. All three send
 * the same request to `baseUrl`. None contains the reader's key.
 */
export function samplesOf(endpoint: Endpoint, draft: Draft, baseUrl: string): Sample[] {
  const request = requestOf(endpoint, draft, baseUrl);
  return [
    { language: 'curl', label: 'curl', text: curlSample(request) },
    { language: 'typescript', label: 'TypeScript', text: typescriptSample(request) },
    { language: 'python', label: 'Python', text: pythonSample(request) },
  ];
}

function requestOf(endpoint: Endpoint, draft: Draft, baseUrl: string): SampleRequest {
  const parameters = endpoint.operation.parameters ?? [];
  const typed = (place: string) => {
    const ofPlace = Object.entries(draft.values).flatMap(([name, text]) => {
      const parameter = parameters.find((one) => one.in === place && one.name === name);
      return parameter && text ? [[name, typedValue(parameter, text)] as const] : [];
    });
    return Object.fromEntries(ofPlace);
  };
  return {
    endpoint,
    baseUrl,
    address: addressOf(endpoint, draft, true),
    path: typed('path'),
    query: typed('query'),
    headers: endpoint.operation['x-example-request']?.headers ?? {},
    body: bodyOrUndefined(draft),
  };
}

/** While the reader types, the body may be no JSON. */
function bodyOrUndefined(draft: Draft): unknown {
  try {
    return bodyOf(draft);
  } catch {
    return undefined;
  }
}

function curlSample({ endpoint: { method, operation }, baseUrl, address, headers, body }: SampleRequest): string {
  const quoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;
  return [
    `curl -s ${quoted(baseUrl + address)}${method === 'GET' ? '' : ` -X ${method}`}`,
    ...(operation.security ? [] : [`-H ${quoted('Authorization: Bearer YOUR_KEY')}`]),
    ...Object.entries(headers).map(([name, value]) => `-H ${quoted(`${name}: ${value}`)}`),
    ...(body === undefined
      ? []
      : [`-H ${quoted('Content-Type: application/json')}`, `-d ${quoted(JSON.stringify(body))}`]),
  ].join(' \\\n  ');
}

function typescriptSample({ endpoint, baseUrl, path, query, headers, body }: SampleRequest): string {
  const { method, operation } = endpoint;
  const params = { ...(isEmpty(path) ? {} : { path }), ...(isEmpty(query) ? {} : { query }) };
  const options = {
    ...(isEmpty(params) ? {} : { params }),
    ...(isEmpty(headers) ? {} : { headers }),
    ...(body === undefined ? {} : { body }),
  };
  const sent = isEmpty(options) ? '' : `, ${expanded(options)}`;
  const result = hasJson(endpoint) ? 'data' : 'response';
  return [
    `import { Parallax } from 'parallax-client';`,
    '',
    'const parallax = new Parallax({',
    `  baseUrl: ${typescriptText(baseUrl)},`,
    ...(operation.security ? [] : [`  key: 'YOUR_KEY',`]),
    '});',
    `const { ${result} } = await parallax.api.${method}(${typescriptText(endpoint.path)}${sent});`,
    `console.log(${hasJson(endpoint) ? 'data' : 'response.status'});`,
  ].join('\n');
}

/** The options of a call: the outer braces have lines of their own. */
const expanded = (options: object): string =>
  `{\n${Object.entries(options)
    .map(([name, value]) => `  ${name}: ${typescriptLiteral(value, '  ')},\n`)
    .join('')}}`;

function pythonSample({ endpoint, baseUrl, path, query, headers, body }: SampleRequest): string {
  const { method, operation } = endpoint;
  const filled = endpoint.path.replaceAll(/\{(\w+)\}/g, (braces, name: string) => String(path[name] ?? braces));
  const call = [
    JSON.stringify(filled),
    ...Object.entries(query).map(([name, value]) =>
      PYTHON_KEYWORDS.has(name) ? `**${pythonLiteral({ [name]: value })}` : `${name}=${pythonLiteral(value)}`,
    ),
    ...(body === undefined ? [] : [pythonLiteral(body)]),
    ...(isEmpty(headers) ? [] : [`headers=${pythonLiteral(headers)}`]),
  ].join(', ');
  return [
    'from parallax_client import Parallax',
    '',
    'parallax = Parallax(',
    `    ${JSON.stringify(baseUrl)},`,
    ...(operation.security ? [] : ['    "YOUR_KEY",']),
    ')',
    `print(parallax.${method.toLowerCase()}(${call}))`,
  ].join('\n');
}

/** Words of Python that are the name of a parameter here. */
const PYTHON_KEYWORDS: ReadonlySet<string> = new Set(['from']);

const isEmpty = (value: object): boolean => Object.keys(value).length === 0;

/** Whether the success response has a JSON body. */
function hasJson({ operation }: Endpoint): boolean {
  const success = Object.entries(operation.responses).find(([status]) => status.startsWith('2'))?.[1];
  return success?.content?.['application/json'] !== undefined;
}
