import { type Resolve, resolveAddresses } from '../_shared/dns.ts';
import { type Issue, issue } from './http/validation.ts';
import { isPublicAddress } from './public_address.ts';
import { isAllowed, isLiteral, parseWebhookUrl, type UrlProblem } from './webhook_url.ts';

/** A registration whose fields are of the right kind. */
export type Registration = { url: string; events: readonly string[]; min_spread_pts?: number | null | undefined };

export type RegistrationChecks = {
  resolve: Resolve;
  /** Receivers (`host:port`) that the operator allows whatever their addresses are. */
  allowed: readonly string[];
};

/** Longer than a resolver needs that asks the world, shorter than a caller waits. */
const DNS_TIMEOUT_MS = 2_000;
const MAX_EVENTS = 20;
const MIN_SPREAD_PTS = 0.5;
const MAX_SPREAD_PTS = 50;

/** What is wrong with a registration: the detail of a Validation error, empty where nothing is. Looks the host up in the DNS. */
export async function registrationIssues(registration: Registration, checks: RegistrationChecks): Promise<Issue[]> {
  const { url } = registration;
  const fault = await findUrlProblem(url, checks);
  // An address may be longer than what is sent back of it. Characters and not code units: half a pair is no text.
  const input = [...url].slice(0, 200).join('');
  const urlIssues = fault ? [issue(fault.type, ['body', 'url'], fault.msg, input, fault.ctx)] : [];
  return [...urlIssues, ...eventIssues(registration), ...thresholdIssues(registration)];
}

async function findUrlProblem(url: string, { resolve, allowed }: RegistrationChecks): Promise<UrlProblem | null> {
  const parsed = parseWebhookUrl(url, allowed);
  if ('fault' in parsed) return parsed.fault;
  const { receiver } = parsed;
  if (isLiteral(receiver.host) || isAllowed(receiver, allowed)) return null;
  const answer = await resolveAddresses(resolve, receiver.host, DNS_TIMEOUT_MS);
  // A silent DNS is no fault of the caller, and no danger: each attempt asks again and connects to no address that it has not checked.
  if ('timedOut' in answer) return null;
  if (answer.addresses.length === 0) {
    return { type: 'url_unknown_host', msg: 'URL host should exist: the DNS knows no address of it' };
  }
  if (answer.addresses.every(isPublicAddress)) return null;
  // The issue does not name the address: it may be an answer that only this network gets.
  return {
    type: 'url_private_address',
    msg: 'URL host should be a public one: it resolves to an address that is not of the public Internet',
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
  const fault = (type: string, msg: string, ctx = {}) => [
    issue(type, ['body', 'min_spread_pts'], msg, threshold ?? null, ctx),
  ];
  const isWanted = events.includes('spread.threshold');
  if (threshold === undefined || threshold === null) {
    return isWanted ? fault('missing', "Field required with the event 'spread.threshold'") : [];
  }
  if (!isWanted) return fault('extra_forbidden', "Only for the event 'spread.threshold': omit it otherwise");
  if (threshold < MIN_SPREAD_PTS) {
    return fault('greater_than_equal', 'Input should be greater than or equal to 0.5', { ge: MIN_SPREAD_PTS });
  }
  if (threshold > MAX_SPREAD_PTS) {
    return fault('less_than_equal', 'Input should be less than or equal to 50', { le: MAX_SPREAD_PTS });
  }
  return [];
}
