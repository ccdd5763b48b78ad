import { type Resolve, resolveAddresses } from '../_shared/dns.ts';
import { type Issue, issue } from './http/validation.ts';
import { isPublicAddress } from './public_address.ts';
import { isAllowed, isLiteral, parseWebhookUrl, type UrlProblem } from './webhook_url.ts';

/** A registration whose fields have the right types. */
export type Registration = { url: string; events: readonly string[]; min_spread_pts?: number | null | undefined };

export type RegistrationChecks = {
  resolve: Resolve;
  /** Receivers (`host:port`) that the operator allows with any address. */
  allowed: readonly string[];
};

/** Long enough for a resolver that queries other servers, shorter than a caller waits. */
const DNS_TIMEOUT_MS = 2_000;
const MAX_EVENTS = 20;
const MIN_SPREAD_PTS = 0.5;
const MAX_SPREAD_PTS = 50;

/**
 * Validates a registration and looks up its host. Returns the `detail` of a validation error, empty
 * for a valid one.
 */
export async function registrationIssues(registration: Registration, checks: RegistrationChecks): Promise<Issue[]> {
  const { url } = registration;
  const problem = await findUrlProblem(url, checks);
  // At most 200 characters of the URL are sent back. Half a surrogate pair would not be text.
  const input = [...url].slice(0, 200).join('');
  const urlIssues = problem ? [issue(problem.type, ['body', 'url'], problem.msg, input, problem.ctx)] : [];
  return [...urlIssues, ...eventIssues(registration), ...thresholdIssues(registration)];
}

async function findUrlProblem(url: string, { resolve, allowed }: RegistrationChecks): Promise<UrlProblem | null> {
  const parsed = parseWebhookUrl(url, allowed);
  if ('problem' in parsed) return parsed.problem;
  const { receiver } = parsed;
  if (isLiteral(receiver.host) || isAllowed(receiver, allowed)) return null;
  const answer = await resolveAddresses(resolve, receiver.host, DNS_TIMEOUT_MS);
  // A DNS timeout is not the caller's error, and it is safe: each delivery resolves the host again
  // and connects only to an address that it has checked.
  if ('timedOut' in answer) return null;
  if (answer.addresses.length === 0) {
    return { type: 'url_unknown_host', msg: 'URL host should exist: the DNS has no address for it' };
  }
  if (answer.addresses.every(isPublicAddress)) return null;
  // The issue does not name the address, which may be visible in this network only.
  return {
    type: 'url_private_address',
    msg: 'URL host should be public: it resolves to an address outside the public Internet',
  };
}

function eventIssues({ events }: Registration): Issue[] {
  const loc = ['body', 'events'];
  if (events.length === 0) {
    return [issue('too_short', loc, 'List should have at least 1 items', [], { min_length: 1 })];
  }
  if (events.length <= MAX_EVENTS) return [];
  return [issue('too_long', loc, `List should have at most ${MAX_EVENTS} items`, null, { max_length: MAX_EVENTS })];
}

function thresholdIssues({ events, min_spread_pts: threshold }: Registration): Issue[] {
  const problem = (type: string, msg: string, ctx = {}) => [
    issue(type, ['body', 'min_spread_pts'], msg, threshold ?? null, ctx),
  ];
  const needsThreshold = events.includes('spread.threshold');
  if (threshold === undefined || threshold === null) {
    return needsThreshold ? problem('missing', "Field required with the event 'spread.threshold'") : [];
  }
  if (!needsThreshold) return problem('extra_forbidden', "Only for the event 'spread.threshold': omit it otherwise");
  if (threshold < MIN_SPREAD_PTS) {
    return problem('greater_than_equal', 'Input should be greater than or equal to 0.5', { ge: MIN_SPREAD_PTS });
  }
  if (threshold > MAX_SPREAD_PTS) {
    return problem('less_than_equal', 'Input should be less than or equal to 50', { le: MAX_SPREAD_PTS });
  }
  return [];
}
