import { cpSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse, type TomlTable } from 'smol-toml';
import { valueAt } from './config.ts';
import { checkResult, type Finding, unknown } from './finding.ts';
import { type ApiRequest, runSupabase } from './management_api.ts';

/** The project ref and the address that the repository ships, for the deployer to replace. */
export const EXAMPLE_REF = 'abcdefghijklmnopqrst';
const EXAMPLE_HOST = /(^|\.)example\.(com|org|net)$/;

/** What `supabase config push` sends to the management API for one project. */
type Pushed = { auth: Record<string, unknown>; api: Record<string, unknown>; output: string };

const SUBJECT = 'config push to production';

/**
 * Checks what `supabase config push` would send to the project of [remotes.production]. The CLI
 * merges that table over the local settings if its project_id is the linked project.
 */
export async function configPushFindings(folder: string, linkedRef?: string): Promise<Finding[]> {
  const config = parse(readFileSync(join(folder, 'supabase', 'config.toml'), 'utf8'));
  const projectRef = valueAt(config, 'remotes.production.project_id');
  if (typeof projectRef !== 'string') {
    const why = 'without it config push sends the local addresses and unconfirmed e-mail';
    return [checkResult(SUBJECT, [`config.toml has no [remotes.production] project_id: ${why}`], '')];
  }
  const pushed = await pushConfig(folder, projectRef);
  const errors = [...pushErrors(pushed), ...refErrors(projectRef, linkedRef)];
  const site = String(pushed.auth.site_url);
  return [
    checkResult(SUBJECT, errors, `schema ${pushed.api.db_schema}, site ${site}, sign-up is confirmed by e-mail`),
    ...exampleFindings(config, linkedRef),
  ];
}

/** Runs the real CLI against a stub that answers with a project of the platform's defaults. */
async function pushConfig(folder: string, projectRef: string): Promise<Pushed> {
  const pushed: Pushed = { auth: {}, api: {}, output: '' };
  const { output } = await runSupabase({
    args: ['config', 'push', '--yes'],
    projectRef,
    prepare: (project) => cpSync(join(folder, 'supabase', 'config.toml'), join(project, 'supabase', 'config.toml')),
    answer: (request) => answer(request, projectRef, pushed),
  });
  return { ...pushed, output };
}

function answer({ method, url, body }: ApiRequest, projectRef: string, pushed: Pushed): unknown {
  const path = url.pathname;
  const isAuth = path.endsWith('/config/auth');
  if (method === 'PATCH') Object.assign(isAuth ? pushed.auth : pushed.api, JSON.parse(body.toString()));
  if (path.startsWith('/v2/') && path.endsWith('/config')) {
    // The CLI compares with these two values and sends all others.
    const attributes = { api: { db_schema: 'public' }, auth: { site_url: 'http://localhost:3000' } };
    return { data: { id: projectRef, type: 'project_config', attributes } };
  }
  if (path.endsWith('/postgrest')) {
    const pool = { db_pool: null, db_pool_acquisition_timeout: null };
    return { db_schema: 'api', db_extra_search_path: 'extensions', max_rows: 1000, ...pool };
  }
  return {};
}

function pushErrors({ auth, api, output }: Pushed): string[] {
  if (auth.site_url === undefined && api.db_schema === undefined)
    return [`the CLI sent nothing: ${output.trim().split('\n').at(-1) ?? ''}`];
  const allowed = String(auth.uri_allow_list ?? '')
    .split(',')
    .filter(Boolean);
  const minimumSeconds = 60;
  return [
    ...(api.db_schema === 'api' ? [] : [`exposes the schemas ${api.db_schema}: expose api alone`]),
    ...addressErrors('site_url', String(auth.site_url)),
    ...(allowed.length > 0 ? [] : ['additional_redirect_urls is empty, so sign-in links lead to the start page only']),
    ...allowed.flatMap((address) => addressErrors('additional_redirect_urls', address)),
    ...(auth.mailer_autoconfirm === false
      ? []
      : ['auth.email.enable_confirmations is off: anybody could sign up with an address of another person']),
    ...(Number(auth.smtp_max_frequency) >= minimumSeconds
      ? []
      : [`auth.email.max_frequency is ${auth.smtp_max_frequency} s: at least ${minimumSeconds} s between two mails`]),
    ...(auth.external_anonymous_users_enabled === false ? [] : ['anonymous sign-in is on']),
  ];
}

function addressErrors(name: string, address: string): string[] {
  if (!URL.canParse(address)) return [`auth.${name} is ${address}: set the address of the dashboard`];
  const { hostname, protocol } = new URL(address);
  if (/^(localhost|127\.|0\.0\.0\.0|\[::1\])/.test(hostname))
    return [`auth.${name} is ${address}, an address of this machine: set the dashboard's`];
  return protocol === 'https:' ? [] : [`auth.${name} is ${address}: use https`];
}

/** The remote applies to its own project only, so config push to another one sends local values. */
function refErrors(projectRef: string, linkedRef: string | undefined): string[] {
  return linkedRef === undefined || linkedRef === projectRef
    ? []
    : [`[remotes.production] project_id is ${projectRef}, but the database URLs name ${linkedRef}: set it there`];
}

function exampleFindings(config: TomlTable, linkedRef: string | undefined): Finding[] {
  const site = valueAt(config, 'remotes.production.auth.site_url');
  const isExample =
    valueAt(config, 'remotes.production.project_id') === EXAMPLE_REF ||
    (typeof site === 'string' && URL.canParse(site) && EXAMPLE_HOST.test(new URL(site).hostname));
  if (!isExample) return [];
  const message = 'supabase/config.toml has the example: set project_id, site_url and additional_redirect_urls';
  const subject = '[remotes.production] is yours';
  return [linkedRef === undefined ? unknown(subject, message) : checkResult(subject, [message], '')];
}
