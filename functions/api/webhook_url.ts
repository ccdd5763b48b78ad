import { isIPv4, isIPv6, isPublicAddress } from './public_address.ts';

/** What is wrong with a URL, in the words of a Validation error. */
export type UrlProblem = { type: string; msg: string; ctx?: Record<string, unknown> };

/** The host of an https URL in lower case, an IPv6 address without its brackets, and the port. */
export type Receiver = { host: string; port: number };

export type ParsedUrl = { receiver: Receiver } | { fault: UrlProblem };

const MAX_CHARACTERS = 2048;
const MAX_HOST_CHARACTERS = 253;
/** Mail. The platform lets no connection to these ports out. */
const MAIL_PORTS: readonly number[] = [25, 587];

const LABEL_PATTERN = '[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?';
const AUTHORITY_PATTERN = new RegExp(`^(?:\\[([0-9a-f:.]+)\\]|(${LABEL_PATTERN}(?:\\.${LABEL_PATTERN})*))(:.*)?$`);

/**
 * Reads a URL that deliveries are to go to, or says why none may. `allowed` are receivers (`host:port`) that the operator allows
 * whatever their addresses are. The addresses of a name are not looked up here. The database reads the URL again for each
 * delivery, by the same rules (webhook.parse_url).
 */
export function parseWebhookUrl(url: string, allowed: readonly string[]): ParsedUrl {
  const fault = findTextProblem(url);
  if (fault) return { fault };
  const authority = /^[^/?]*/.exec(url.slice('https://'.length))?.[0] ?? '';
  if (authority.includes('@')) {
    return {
      fault: {
        type: 'url_credentials',
        msg: 'Input should be a URL without credentials: deliveries are signed instead',
      },
    };
  }
  const [, address, name, portText] = AUTHORITY_PATTERN.exec(authority.toLowerCase()) ?? [];
  const host = address ?? name;
  if (host === undefined || host.length > MAX_HOST_CHARACTERS) {
    return { fault: { type: 'url_parsing', msg: 'Input should be a valid URL, invalid host' } };
  }
  const port = portOf(portText);
  if (port === null) {
    const msg = 'Input should be a URL with a port from 1 to 65535, neither 25 nor 587';
    return { fault: { type: 'url_port', msg } };
  }
  const receiver = { host, port };
  const reason = isAllowed(receiver, allowed) ? null : findHostProblem(host);
  if (reason === null) return { receiver };
  return { fault: { type: 'url_private_host', msg: `URL host should be a public one: ${reason}` } };
}

/** Whether the operator allows this receiver whatever its address is. */
export const isAllowed = ({ host, port }: Receiver, allowed: readonly string[]): boolean =>
  allowed.includes(`${host}:${port}`);

/** Whether the host is an address and no name. */
export const isLiteral = (host: string): boolean => /:|^[0-9.]+$/.test(host);

/** What the characters of a URL say before it is taken apart. */
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
      msg: 'Input should be a valid URL of ASCII characters: a host of other letters in its xn-- form, the rest percent-encoded',
    };
  }
  if (!/^https:\/\//i.test(url)) {
    return { type: 'url_scheme', msg: "URL scheme should be 'https'", ctx: { expected_schemes: "'https'" } };
  }
  if (url.includes('#')) {
    return { type: 'url_fragment', msg: 'Input should be a URL without a fragment: it is never sent' };
  }
  if (/["<>\\^`{|}]/.test(url)) {
    return { type: 'url_parsing', msg: 'Input should be a valid URL: percent-encode its special characters' };
  }
  return null;
}

/** `text` begins with its colon; a URL without one has port 443. Null where no delivery may go to the port. */
function portOf(text: string | undefined): number | null {
  if (text === undefined) return 443;
  if (!/^:[1-9][0-9]{0,4}$/.test(text)) return null;
  const port = Number(text.slice(1));
  return port > 65_535 || MAIL_PORTS.includes(port) ? null : port;
}

/** Why a host may not be delivered to, as far as its text tells; null where it may. */
function findHostProblem(host: string): string | null {
  const notPublic = 'the address is not one of the public Internet';
  if (host.includes(':')) {
    if (!isIPv6(host)) return 'this is no IPv6 address';
    return isPublicAddress(host) ? null : notPublic;
  }
  // Browsers and resolvers read these as an address too: 127.1, 0177.0.0.1, 0x7f.0.0.1.
  if (/(^|\.)([0-9]+|0x[0-9a-f]*)$/.test(host)) {
    if (!isIPv4(host)) return 'an IPv4 address is written as four decimal numbers';
    return isPublicAddress(host) ? null : notPublic;
  }
  if (!host.includes('.')) return 'the host needs a full name';
  if (/(^|\.)(localhost|local|internal|home\.arpa)$/.test(host)) return 'the host is not one of the public Internet';
  return null;
}
