import { API_VERSION } from '../../functions/api/app_types.ts';
import { errorText } from '../platform/user_error.ts';
import { checkResult, type Finding, ok, unknown } from './finding.ts';
import { runningDatabaseFindings } from './verify_database.ts';
import { realtimeFindings, streamFinding, type Ticket } from './verify_stream.ts';

/** What the operator gives: more of it answers more questions. */
export type RunningProject = {
  /** Address of the function api, such as `https://REF.supabase.co/functions/v1/api`. */
  baseUrl: string;
  /** A customer's key, for a ticket. */
  key?: string | undefined;
  /** Connection as role postgres. */
  databaseUrl?: string | undefined;
  /** A webhook endpoint that receives one test. */
  webhook?: string | undefined;
};

const TIMEOUT_MS = 15_000;

/** Asks a running project everything that its operator can see, and changes nothing in it. */
export async function verify(project: RunningProject): Promise<Finding[]> {
  const ticket = project.key === undefined ? undefined : await ticketOf(project.baseUrl, project.key);
  return [
    await healthFinding(project.baseUrl),
    await versionFinding(project.baseUrl),
    ...(await ticketFindings(ticket)),
    ...(await databaseFindings(project)),
  ];
}

async function fetchJson(url: string, init: RequestInit = {}): Promise<{ status: number; body: unknown }> {
  const response = await fetch(url, { ...init, signal: AbortSignal.timeout(TIMEOUT_MS) });
  return { status: response.status, body: await response.json().catch(() => null) };
}

type Health = {
  status?: string;
  version?: string;
  venues?: Record<string, { state?: string; detail?: string | null }>;
};

async function healthFinding(baseUrl: string): Promise<Finding> {
  try {
    const { status, body } = await fetchJson(`${baseUrl}/health`);
    if (status !== 200)
      return checkResult('health', [`${baseUrl}/health answers ${status}: is it the address of api?`], '');
    const { status: state, venues = {} } = body as Health;
    const read = Object.entries(venues).map(([venue, feed]) => `${venue} ${feed.state}`);
    const isUnknown = Object.values(venues).some((feed) => feed.state === 'unknown');
    const hint = isUnknown
      ? 'api does not reach the database: check DB_URL_API and the log of api'
      : 'ingest does not read: select * from ops.job_status()';
    return checkResult('health', state === 'ok' ? [] : [`${state}: ${read.join(', ')}; ${hint}`], read.join(', '));
  } catch (error) {
    return checkResult('health', [`${baseUrl}/health does not answer: ${errorText(error)}`], '');
  }
}

/** The version of the deployed API, which the OpenAPI document has, against this checkout's. */
async function versionFinding(baseUrl: string): Promise<Finding> {
  try {
    const { body } = await fetchJson(`${baseUrl}/openapi.json`);
    const deployed = (body as { info?: { version?: string } } | null)?.info?.version;
    return checkResult(
      'version of api',
      deployed === API_VERSION ? [] : [`${deployed ?? 'no version'} is deployed, and this checkout is ${API_VERSION}`],
      `${API_VERSION}, as this checkout`,
    );
  } catch (error) {
    return checkResult('version of api', [`openapi.json does not answer: ${errorText(error)}`], '');
  }
}

type Minted = { ticket: Ticket } | { error: string };

async function ticketOf(baseUrl: string, key: string): Promise<Minted> {
  try {
    const headers = { authorization: `Bearer ${key}` };
    const { status, body } = await fetchJson(`${baseUrl}/v1/stream/token`, { method: 'POST', headers });
    const { error } = (body ?? {}) as { error?: string };
    return status === 200 || status === 201
      ? { ticket: body as Ticket }
      : { error: `POST /v1/stream/token answers ${status}: ${error ?? ''}` };
  } catch (error) {
    return { error: `POST /v1/stream/token does not answer: ${errorText(error)}` };
  }
}

async function ticketFindings(minted: Minted | undefined): Promise<Finding[]> {
  const how = 'give a key of the project: --key sk_live_…';
  if (!minted) return [unknown('ticket of the stream', how), unknown('channels of Realtime', how)];
  if ('error' in minted) return [checkResult('ticket of the stream', [minted.error], '')];
  return [await streamFinding(minted.ticket), ...(await realtimeFindings(minted.ticket))];
}

async function databaseFindings({ databaseUrl, webhook }: RunningProject): Promise<Finding[]> {
  if (databaseUrl === undefined) {
    const how = 'set DATABASE_URL to a connection as role postgres (dashboard, Connect, session pooler)';
    return [unknown('jobs, policies, logins, Vault', how), unknown('alerts', 'select * from ops.alerts')];
  }
  try {
    const findings = await runningDatabaseFindings(databaseUrl, webhook);
    return [ok('database', 'DATABASE_URL connects'), ...findings];
  } catch (error) {
    return [checkResult('database', [`DATABASE_URL does not work: ${errorText(error)}`], '')];
  }
}
