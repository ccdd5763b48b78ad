import { isIPv4, isIPv6, isPublicAddress } from './public_address.ts';

/** A problem of a URL, as `type`, `msg` and `ctx` of a validation error. */
export type UrlProblem = { type: string; msg: string; ctx?: Record<string, unknown> };

/** The host of a URL in lower case, an IPv6 address without its brackets, and the port. */
export type Receiver = { host: string; port: number };

export type ParsedUrl = { receiver: Receiver } | { problem: UrlProblem };

const invalidHost: UrlProblem = { type: 'url_parsing', msg: 'Input should be a valid URL, invalid host' };
const MAX_CHARACTERS = 2048;
const MAX_HOST_CHARACTERS = 253;
/** The port of https. Others below 1024 are other services of a host, such as mail and SSH. */
const HTTPS_PORT = 443;
const MIN_OTHER_PORT = 1024;

const LABEL_PATTERN = '[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?';
const AUTHORITY_PATTERN = new RegExp(
  `^(?:\\[([0-9a-f.]*:[0-9a-f:.]*)\\]|(${LABEL_PATTERN}(?:\\.${LABEL_PATTERN})*))(:.*)?$`,
);

/**
 * Parses the URL of a webhook endpoint, or returns the problem with it. `allowed`: receivers
 * (`host:port`) that the operator allows with any address, and the URL of the local inbox. It does
 * not resolve the host. The database parses the URL again for each delivery by the same rules
 * (webhook.parse_url).
 */
export function parseWebhookUrl(url: string, allowed: readonly string[]): ParsedUrl {
  const inbox = allowed.find((one) => one.startsWith('http://'));
  if (inbox !== undefined && isInInbox(url, inbox)) return { receiver: receiverOf(inbox) };
  const problem = findTextProblem(url);
  if (problem) return { problem };
  const authority = /^[^/?]*/.exec(url.slice('https://'.length))?.[0] ?? '';
  if (authority.includes('@')) {
    return {
      problem: {
        type: 'url_credentials',
        msg: 'Input should be a URL without credentials: deliveries are signed',
      },
    };
  }
  const [, address, name, portText] = AUTHORITY_PATTERN.exec(authority.toLowerCase()) ?? [];
  const host = address ?? name;
  if (host === undefined || host.length > MAX_HOST_CHARACTERS) return { problem: invalidHost };
  const port = portOf(portText);
  if (port === null) {
    const msg = 'Input should be a URL with the port 443, or one from 1024 to 65535';
    return { problem: { type: 'url_port', msg } };
  }
  const receiver = { host, port };
  const reason = isAllowed(receiver, allowed) ? null : findHostProblem(host);
  if (reason !== null) {
    return { problem: { type: 'url_private_host', msg: `URL host should be public: ${reason}` } };
  }
  // The parser of Deno 2.1 refuses a label that begins with xn-- and is no Punycode.
  return URL.canParse(url) ? { receiver } : { problem: invalidHost };
}

/** The local inbox of `npm start` is the one receiver without TLS: `inbox` and one name. */
const isInInbox = (url: string, inbox: string): boolean =>
  url.startsWith(inbox) && /^[A-Za-z0-9_-]{1,64}$/.test(url.slice(inbox.length));

function receiverOf(inbox: string): Receiver {
  const { hostname, port } = new URL(inbox);
  return { host: hostname, port: Number(port) };
}

/** Whether the operator allows this receiver with any address. */
export const isAllowed = ({ host, port }: Receiver, allowed: readonly string[]): boolean =>
  allowed.includes(`${host}:${port}`);

/** Whether the host is an address, not a name. */
export const isLiteral = (host: string): boolean => /:|^[0-9.]+$/.test(host);

/** Finds a problem in the characters of a URL, before it is parsed. */
function findTextProblem(url: string): UrlProblem | null {
  if ([...url].length > MAX_CHARACTERS) {
    return {
      type: 'string_too_long',
      msg: `String should have at most ${MAX_CHARACTERS} characters`,
      ctx: { max_length: MAX_CHARACTERS },
    };
  }
  if (/[^!-~]/.test(url)) {
    return {
      type: 'url_parsing',
      msg: 'Input should be a valid URL of ASCII characters: write an international host in its xn-- form and percent-encode the rest',
    };
  }
  if (!/^https:\/\//i.test(url)) {
    return { type: 'url_scheme', msg: "URL scheme should be 'https'", ctx: { expected_schemes: "'https'" } };
  }
  if (url.includes('#')) {
    return { type: 'url_fragment', msg: 'Input should be a URL without a fragment: a fragment is never sent' };
  }
  if (/["<>\\^`{|}]/.test(url)) {
    return { type: 'url_parsing', msg: 'Input should be a valid URL: percent-encode its special characters' };
  }
  return null;
}

/** `text` starts with the colon; without it the port is 443. Null where the port is not allowed. */
function portOf(text: string | undefined): number | null {
  if (text === undefined) return HTTPS_PORT;
  if (!/^:[1-9][0-9]{0,4}$/.test(text)) return null;
  const port = Number(text.slice(1));
  return port === HTTPS_PORT || (port >= MIN_OTHER_PORT && port <= 65_535) ? port : null;
}

/** Why the text of a host is not public; null where it may be. */
function findHostProblem(host: string): string | null {
  const notPublic = 'the address is outside the public Internet';
  if (host.includes(':')) {
    if (!isIPv6(host)) return 'this is not an IPv6 address';
    return isPublicAddress(host) ? null : notPublic;
  }
  // Browsers and resolvers also read these as addresses: 127.1, 0177.0.0.1, 0x7f.0.0.1.
  if (/(^|\.)([0-9]+|0x[0-9a-f]*)$/.test(host)) {
    if (!isIPv4(host)) return 'write an IPv4 address as four decimal numbers';
    return isPublicAddress(host) ? null : notPublic;
  }
  if (!host.includes('.')) return 'the host needs a full domain name';
  if (/(^|\.)(localhost|local|internal|home\.arpa)$/.test(host)) return 'the host is not part of the public Internet';
  return null;
}
