import type { ClientConfig } from 'pg';

/** `require` and the modes before it encrypt without a check of the certificate, since no public CA issued the platform pooler's. */
const sslModes = new Map<string, NonNullable<ClientConfig['ssl']>>([
  ['disable', false],
  ...['allow', 'prefer', 'require'].map((mode) => [mode, { rejectUnauthorized: false }] as const),
  ...['verify-ca', 'verify-full'].map((mode) => [mode, { rejectUnauthorized: true }] as const),
]);

/**
 * The connection settings in postgres://user:password@host:port/database?sslmode=…&options=…. The driver reads the URL, but takes
 * `require` for `verify-full`, so sslmode is read here with libpq's meaning.
 * @throws Error that says what is wrong, without the password
 */
export function parseDatabaseUrl(url: string): ClientConfig {
  if (!URL.canParse(url) || !/^postgres(ql)?:\/\//.test(url))
    throw new Error('The URL of the database is no postgres:// URL.');
  const address = new URL(url);
  const mode = address.searchParams.get('sslmode') ?? 'disable';
  const ssl = sslModes.get(mode);
  if (ssl === undefined)
    throw new Error(`sslmode is ${mode} in the URL of the database; use disable, require or verify-full.`);
  address.searchParams.delete('sslmode');
  return { connectionString: address.href, ssl };
}
