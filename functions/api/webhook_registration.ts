import { type Resolve, resolveAddresses } from '../_shared/dns.ts';
import { type Issue, issue } from './http/validation.ts';
import { isPublicAddress } from './public_address.ts';
import { isAllowed, isLiteral, parseWebhookUrl, type UrlProblem } from './webhook_url.ts';

/** A registration whose fields have the right types. */
export type Registration = {
  url: string;
  events: readonly string[];
  min_spread_pts?: number | null | undefined;
  min_edge_pct?: number | null | undefined;
  min_profit_usd?: number | null | undefined;
};

export type RegistrationChecks = {
  resolve: Resolve;
  /** Receivers (`host:port`) that the operator allows with any address, and the local inbox. */
  allowed: readonly string[];
};

/** Long enough for a resolver that queries other servers, shorter than a caller waits. */
const DNS_TIMEOUT_MS = 2_000;
const MAX_EVENTS = 20;
/** The thresholds of an endpoint, each of one event. sql/64_webhook.sql has the same bounds. */
const THRESHOLDS = [
  { name: 'min_spread_pts', event: 'spread.threshold', min: 0.5, max: 50, isRequired: true },
  { name: 'min_edge_pct', event: 'opportunity.opened', min: 0, max: 100, isRequired: false },
  { name: 'min_profit_usd', event: 'opportunity.opened', min: 0, max: 1_000_000, isRequired: false },
] as const;
type ThresholdName = (typeof THRESHOLDS)[number]['name'];

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
  return [...urlIssues, ...subscriptionIssues(registration)];
}

/** What an endpoint receives: its events and the threshold of each. */
export type Subscription = Omit<Registration, 'url'>;

/** Validates events and thresholds, which depend on one another. */
export const subscriptionIssues = (subscription: Subscription): Issue[] => [
  ...eventIssues(subscription),
  ...thresholdIssues(subscription),
];

/** The subscription after a change. A threshold that the change omits stays with its event. */
export function changedSubscription(current: Subscription, change: Partial<Subscription>): Required<Subscription> {
  const events = change.events ?? current.events;
  const thresholdOf = (name: ThresholdName) => {
    const { event } = THRESHOLDS.find((threshold) => threshold.name === name) ?? {};
    if (change[name] !== undefined) return change[name];
    return event !== undefined && events.includes(event) ? (current[name] ?? null) : null;
  };
  return {
    events,
    min_spread_pts: thresholdOf('min_spread_pts'),
    min_edge_pct: thresholdOf('min_edge_pct'),
    min_profit_usd: thresholdOf('min_profit_usd'),
  };
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

function eventIssues({ events }: Subscription): Issue[] {
  const loc = ['body', 'events'];
  if (events.length === 0) {
    return [issue('too_short', loc, 'List should have at least 1 items', [], { min_length: 1 })];
  }
  if (events.length <= MAX_EVENTS) return [];
  return [issue('too_long', loc, `List should have at most ${MAX_EVENTS} items`, null, { max_length: MAX_EVENTS })];
}

function thresholdIssues(subscription: Subscription): Issue[] {
  return THRESHOLDS.flatMap((threshold) => {
    const { name, event, min, max, isRequired } = threshold;
    const value = subscription[name];
    const problem = (type: string, msg: string, ctx = {}) => [issue(type, ['body', name], msg, value ?? null, ctx)];
    const isUsed = subscription.events.includes(event);
    if (value === undefined || value === null) {
      return isUsed && isRequired ? problem('missing', `Field required with the event '${event}'`) : [];
    }
    if (!isUsed) return problem('extra_forbidden', `Only for the event '${event}': omit it otherwise`);
    if (value < min) {
      return problem('greater_than_equal', `Input should be greater than or equal to ${min}`, { ge: min });
    }
    return value > max ? problem('less_than_equal', `Input should be less than or equal to ${max}`, { le: max }) : [];
  });
}
