import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { listenOnFreePort } from '../../support/listening.ts';

type Json = string | number | boolean | null | Json[] | { [name: string]: Json };

/** A result of schema api: rows of a view, or a function of the arguments of an RPC. */
type Answer = Json | ((args: Record<string, Json>) => Json);

/** An error as PostgREST returns it. */
export class StubError {
  readonly status: number;
  readonly code: string;
  readonly message: string;
  constructor(status: number, code: string, message: string) {
    this.status = status;
    this.code = code;
    this.message = message;
  }
}

export const org = '0b9a0000-0000-4000-8000-000000000001';
export const otherOrg = '0b9a0000-0000-4000-8000-000000000002';
export const user = { id: '0b9a0000-0000-4000-8000-0000000000aa', email: 'ada@example.com' };
export const PASSWORD = 'correct horse battery';

const hoursFromNow = (hours: number): string => new Date(Date.now() + hours * 3_600_000).toISOString();

/** `many` keys of different age and state. */
export const keyRows = (many: number): Json[] =>
  Array.from({ length: many }, (_, number) => ({
    org_id: org,
    key_id: `0b9a0000-0000-4000-9000-${String(number).padStart(12, '0')}`,
    prefix: `sk_live_${String(number).padStart(8, 'A')}`,
    name:
      ['research', 'nightly report', 'a colleague’s notebook', 'production'][number % 4] +
      (number > 3 ? ` ${number}` : ''),
    created_at: hoursFromNow(-24 * (number + 1)),
    expires_at: number % 5 === 1 ? hoursFromNow(20) : null,
    revoked_at: number % 7 === 3 ? hoursFromNow(-2) : null,
    last_used_at: number % 3 === 0 ? null : hoursFromNow(-number / 60),
    scope: number % 4 === 2 ? 'read_only' : 'full',
    lifetime_seconds: number % 5 === 1 ? 90 * 86_400 : null,
  }));

/** Requests of 30 days by three keys and the dashboard. */
const keyDayRows = (): Json[] =>
  Array.from({ length: 30 }, (_, back) => hoursFromNow(-24 * back).slice(0, 10)).flatMap((day, back) =>
    [0, 1, 2, DASHBOARD_KEY].flatMap((number) =>
      back % (number + 2) === 1
        ? []
        : [
            {
              ...{ org_id: org, day, requests: number === DASHBOARD_KEY ? 12 : 137 * (back + 1) * (3 - number) ** 2 },
              key_id:
                number === DASHBOARD_KEY
                  ? '00000000-0000-0000-0000-000000000000'
                  : `0b9a0000-0000-4000-9000-${String(number).padStart(12, '0')}`,
            },
          ],
    ),
  );
const DASHBOARD_KEY = 9;

/** The results for an owner of an organization with some history. */
export function defaultAnswers(): Record<string, Answer> {
  return {
    my_organizations: [
      {
        org_id: org,
        name: 'Analytical Engines',
        role: 'owner',
        tier: 'basic',
        status: 'active',
        created_at: hoursFromNow(-900),
      },
      {
        org_id: otherOrg,
        name: 'Difference Club',
        role: 'member',
        tier: 'free',
        status: 'active',
        created_at: hoursFromNow(-90),
      },
    ],
    my_keys: keyRows(5),
    my_key_days: keyDayRows(),
    my_webhooks: [],
    my_usage: [
      {
        org_id: org,
        tier: 'basic',
        status: 'active',
        window_quota: 600,
        window_used: 512,
        window_ends_at: hoursFromNow(0.01),
        month_quota: 1_000_000,
        month_used: 123_456,
        month_ends_at: hoursFromNow(200),
      },
    ],
    tiers: [
      { tier: 'free', window_requests: 600, month_requests: 10_000, stream_connections: 1, webhook_endpoints: 0 },
      { tier: 'basic', window_requests: 600, month_requests: 1_000_000, stream_connections: 3, webhook_endpoints: 3 },
      {
        tier: 'premium',
        window_requests: 1500,
        month_requests: 5_000_000,
        stream_connections: 10,
        webhook_endpoints: 3,
      },
      { tier: 'pro', window_requests: 1500, month_requests: 5_000_000, stream_connections: 10, webhook_endpoints: 3 },
    ],
    list_members: [
      { user_id: user.id, email: user.email, role: 'owner', since: hoursFromNow(-900) },
      { user_id: otherOrg, email: 'charles@example.com', role: 'member', since: hoursFromNow(-80) },
    ],
    my_invitations: [
      { org_id: org, invitation_id: org, role: 'member', created_at: hoursFromNow(-3), expires_at: hoursFromNow(165) },
    ],
    my_audit: [
      {
        audit_id: 3,
        org_id: org,
        at: hoursFromNow(-1),
        actor: user.email,
        action: 'key.revoked',
        subject: 'sk_live_AAAAAAA3',
        detail: { name: 'production' },
      },
      {
        audit_id: 2,
        org_id: org,
        at: hoursFromNow(-50),
        actor: 'operator',
        action: 'plan.changed',
        subject: 'basic',
        detail: { from: { tier: 'free', status: 'active' }, to: { tier: 'basic', status: 'active' } },
      },
      {
        audit_id: 1,
        org_id: org,
        at: hoursFromNow(-900),
        actor: user.email,
        action: 'organization.created',
        subject: 'Analytical Engines',
        detail: {},
      },
    ],
    start_session: {},
    read_account: {
      email: user.email,
      created_at: hoursFromNow(-900),
      has_password: true,
      has_factors: true,
      organizations: [
        { org_id: org, name: 'Analytical Engines', outcome: 'deletes', members: 1, keys: 4 },
        { org_id: otherOrg, name: 'Difference Club', outcome: 'leaves', members: 7, keys: 12 },
      ],
    },
    list_sessions: [
      sessionRow(1, { is_current: true, user_agent: `${mozilla} (X11; Linux x86_64) Chrome/140.0.0.0 Safari/537.36` }),
      sessionRow(2, { user_agent: `${mozilla} (iPhone; CPU iPhone OS 19_0 like Mac OS X) Version/19.0 Safari/604.1` }),
      sessionRow(3, { user_agent: null, ip: null }),
    ],
    end_session: null,
    delete_account: null,
  };
}

const mozilla = 'Mozilla/5.0';

const sessionRow = (number: number, row: { [name: string]: Json }): Json => ({
  session_id: `0b9a0000-0000-4000-8000-0000000000b${number}`,
  created_at: hoursFromNow(-30 * number),
  last_used_at: hoursFromNow(-number / 2),
  ip: `203.0.113.${number}`,
  is_current: false,
  ...row,
});

/** A picture of the form that Supabase Auth returns, with characters that a URL must encode. */
const QR_SVG =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9" width="200" height="200"><rect width="9" height="9" style="fill:#fff"/><path style="fill:#000" d="M1 1h3v3h-3zM5 1h3v3h-3zM1 5h3v3h-3zM5 5h1v1h-1zM7 7h1v1h-1z"/></svg>';

export const CODE = '123456';

/**
 * A stub of Auth and PostgREST for layout and state tests. keys.suite.ts tests the pages on the
 * real stack.
 */
export class StubApi {
  answers: Record<string, Answer | StubError> = defaultAnswers();
  settings: Json = { external: { email: true, github: false }, disable_signup: false, mailer_autoconfirm: true };
  readonly #server = createServer((request, response) => void this.#handle(request, response));

  listen(): Promise<number> {
    return listenOnFreePort(this.#server);
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise<void>((resolve) => this.#server.close(() => resolve()));
  }

  async #handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = JSON.parse(Buffer.concat(chunks).toString() || '{}') as Record<string, Json>;
    const url = new URL(request.url ?? '/', 'http://here');
    const { status, json } = url.pathname.startsWith('/auth/')
      ? this.#auth(request.method ?? '', url, body)
      : this.#rest(url, body);
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(json));
  }

  /** Second factors of the user, and the answer of Auth to a request for a recovery link. */
  factors: { id: string; status: string; factor_type: string; friendly_name: string; created_at: string }[] = [];
  recover: { status: number; json: Json } = { status: 200, json: {} };
  enrollError: { status: number; json: Json } | undefined;
  /** Method and path of each request to Auth, with its body. */
  readonly authRequests: [request: string, body: Record<string, Json>][] = [];

  #auth(method: string, url: URL, body: Record<string, Json>): { status: number; json: Json } {
    const path = url.pathname.replace('/auth/v1', '');
    this.authRequests.push([`${method} ${path}${url.search}`, body]);
    if (path === '/settings') return { status: 200, json: this.settings };
    if (path === '/logout') return { status: 200, json: {} };
    if (path === '/recover') return this.recover;
    if (path === '/user') return { status: 200, json: this.#user() };
    if (path.startsWith('/factors')) return this.#factor(method, path, body);
    const refreshes = url.searchParams.get('grant_type') === 'refresh_token';
    if (!refreshes && body.password !== PASSWORD) {
      return { status: 400, json: { code: 400, error_code: 'invalid_credentials', msg: 'Invalid login credentials' } };
    }
    return { status: 200, json: this.session() };
  }

  #user(): Json {
    return { ...user, aud: 'authenticated', role: 'authenticated', factors: this.factors };
  }

  #factor(method: string, path: string, body: Record<string, Json>): { status: number; json: Json } {
    const [, , id = '', step] = path.split('/');
    if (method === 'DELETE') {
      this.factors = this.factors.filter((one) => one.id !== id);
      return { status: 200, json: { id } };
    }
    if (step === 'challenge') return { status: 200, json: { id: org, type: 'totp', expires_at: 0 } };
    if (step === 'verify') {
      if (body.code !== CODE) {
        return { status: 422, json: { code: 422, error_code: 'mfa_verification_failed', msg: 'Invalid TOTP code' } };
      }
      this.factors = this.factors.map((one) => (one.id === id ? { ...one, status: 'verified' } : one));
      return { status: 200, json: this.session() };
    }
    if (this.enrollError) return this.enrollError;
    const friendly_name = String(body.friendly_name);
    const made = { id: otherOrg, status: 'unverified', factor_type: 'totp', friendly_name };
    this.factors = [...this.factors, { ...made, created_at: hoursFromNow(0) }];
    const totp = { qr_code: QR_SVG, secret: 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP', uri: 'otpauth://totp/x' };
    return { status: 200, json: { id: otherOrg, type: 'totp', friendly_name, totp } };
  }

  accessToken(): string {
    const part = (claims: object) => Buffer.from(JSON.stringify(claims)).toString('base64url');
    const exp = Math.floor(Date.now() / 1000) + 3600;
    return `${part({ alg: 'HS256' })}.${part({ sub: user.id, exp, iat: exp - 3600 })}.c2lnbmVk`;
  }

  /** The answer of Auth to a sign-in. */
  session(): Json {
    const expires_at = Math.floor(Date.now() / 1000) + 3600;
    return {
      access_token: this.accessToken(),
      token_type: 'bearer',
      expires_in: 3600,
      expires_at,
      refresh_token: 'again',
      user: this.#user(),
    };
  }

  #rest(url: URL, body: Record<string, Json>): { status: number; json: Json } {
    const name = url.pathname.split('/').at(-1) ?? '';
    const answer = this.answers[name];
    if (answer instanceof StubError)
      return { status: answer.status, json: { code: answer.code, message: answer.message } };
    if (answer === undefined) return { status: 404, json: { code: 'PGRST202', message: `There is no ${name}.` } };
    const found = typeof answer === 'function' ? answer(body) : answer;
    if (!Array.isArray(found) || url.pathname.includes('/rpc/')) return { status: 200, json: found };
    const offset = Number(url.searchParams.get('offset') ?? 0);
    return { status: 200, json: found.slice(offset, offset + Number(url.searchParams.get('limit') ?? 1000)) };
  }
}
