import type { ClientConfig } from 'pg';

/**
 * `allow`, `prefer` and `require` encrypt without a check of the certificate: no public CA issued
 * the certificate of the platform's pooler.
 */
const SSL_MODES = new Map<string, NonNullable<ClientConfig['ssl']>>([
  ['disable', false],
  ...['allow', 'prefer', 'require'].map((mode) => [mode, { rejectUnauthorized: false }] as const),
  ...['verify-ca', 'verify-full'].map((mode) => [mode, { rejectUnauthorized: true }] as const),
]);

/**
 * Connection settings of postgres://user:password@host:port/database?sslmode=…&options=…. The
 * driver treats `require` as `verify-full`, so sslmode is parsed here with libpq's meaning.
 * @throws Error without the password
 */
export function parseDatabaseUrl(url: string): ClientConfig {
  if (!URL.canParse(url) || !/^postgres(ql)?:\/\//.test(url))
    throw new Error('The database URL is not a postgres:// URL.');
  const address = new URL(url);
  const mode = address.searchParams.get('sslmode') ?? 'disable';
  const ssl = SSL_MODES.get(mode);
  if (ssl === undefined)
    throw new Error(`sslmode is ${mode} in the database URL; use disable, require or verify-full.`);
  address.searchParams.delete('sslmode');
  return { connectionString: address.href, ssl };
}
