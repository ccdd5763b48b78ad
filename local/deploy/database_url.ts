/** What one DB_URL_… must be. Messages never hold the password. */
export type DatabaseUrl = { errors: string[]; projectRef?: string; password?: string };

const POOLER = /^aws-\d+-[a-z0-9-]+\.pooler\.supabase\.com$/;
const DATABASE = /^db\.([a-z]{20})\.supabase\.co$/;
const REF = /^[a-z]{20}$/;

/**
 * Checks the URL with which the functions of `role` reach a hosted database: its three forms are
 * the shared pooler, the dedicated pooler and the direct connection (docs/deploy.md, Logins).
 */
export function checkDatabaseUrl(value: string, role: string): DatabaseUrl {
  const unencoded = passwordError(value);
  if (unencoded) return { errors: [unencoded] };
  if (!/^postgres(ql)?:\/\//.test(value) || !URL.canParse(value))
    return { errors: [`is no URL of the form postgresql://${role}.REF:PASSWORD@HOST:6543/postgres?sslmode=require`] };
  const url = new URL(value);
  const [user = '', userRef] = decodeURIComponent(url.username).split('.', 2);
  const projectRef = DATABASE.exec(url.hostname)?.[1] ?? userRef;
  const password = decodeURIComponent(url.password);
  const errors = [
    ...(user === role
      ? []
      : [`logs in as ${user || 'no user'}: use the role ${role}, which has this function's rights`]),
    ...(password ? [] : ['has no password: set the one of alter role … login password']),
    ...hostErrors(url, role, userRef),
    ...(url.pathname === '/postgres' ? [] : [`names the database ${url.pathname.slice(1) || '(none)'}: use postgres`]),
    ...sslErrors(url.searchParams.get('sslmode')),
  ];
  return { errors, password, ...(projectRef ? { projectRef } : {}) };
}

/**
 * The errors of the URL of a read replica. Its host is not checked: its forms were not seen in a
 * project.
 */
export function replicaUrlErrors(value: string, role: string): string[] {
  const unencoded = passwordError(value);
  if (unencoded) return [unencoded];
  if (!/^postgres(ql)?:\/\//.test(value) || !URL.canParse(value))
    return ['is no URL of the form postgresql://USER:PASSWORD@HOST:6543/postgres?sslmode=require'];
  const url = new URL(value);
  const [user = ''] = decodeURIComponent(url.username).split('.', 1);
  return [
    ...(user === role ? [] : [`logs in as ${user || 'no user'}: use the role ${role}, as the primary does`]),
    ...sslErrors(url.searchParams.get('sslmode')),
  ];
}

function hostErrors(url: URL, role: string, userRef: string | undefined): string[] {
  const port = url.port || '5432';
  if (POOLER.test(url.hostname)) {
    return [
      ...(userRef && REF.test(userRef)
        ? []
        : [`the shared pooler needs the user ${role}.REF; without it it answers "Tenant or user not found"`]),
      ...(port === '6543'
        ? []
        : [`port ${port} of the pooler is session mode, a connection for each client: use port 6543`]),
    ];
  }
  if (DATABASE.test(url.hostname)) {
    return [
      ...(userRef === undefined ? [] : [`the host ${url.hostname} needs the user ${role} without .${userRef}`]),
      ...(port === '5432' || port === '6543'
        ? []
        : [`port ${port}: use 5432 (direct) or 6543 (dedicated pooler) of ${url.hostname}`]),
    ];
  }
  return [`the host ${url.hostname} is no database of Supabase: copy it from Connect in the project's dashboard`];
}

function sslErrors(mode: string | null): string[] {
  if (mode === 'require' || mode === 'verify-full') return [];
  if (mode === null) return ['has no sslmode, so the password travels as plain text: append ?sslmode=require'];
  return [`has sslmode=${mode}: use require or verify-full`];
}

/**
 * A character in the password that ends the password's part of the URL, with its encoding. An env
 * file without quotes also ends at `#`.
 */
function passwordError(value: string): string | undefined {
  const rest = /^postgres(?:ql)?:\/\/(.*)$/s.exec(value)?.[1];
  if (rest === undefined) return undefined;
  const credentials = rest.slice(0, Math.max(0, rest.lastIndexOf('@')));
  const password = credentials.slice(credentials.indexOf(':') + 1);
  const character = /[@/?#[\]: ]|%(?![0-9a-fA-F]{2})/.exec(password)?.[0];
  if (character) {
    const encoded = `%${character.charCodeAt(0).toString(16).toUpperCase()}`;
    return `its password has an unencoded "${character}": write ${encoded}, or choose one from openssl rand -hex 24`;
  }
  // `#` in a value without quotes begins a comment, so nothing is left after it.
  return rest.includes('@') ? undefined : 'has no @HOST: a "#" in the password must be written %23';
}
