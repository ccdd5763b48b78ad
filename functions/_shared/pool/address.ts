/** Where a database is and as whom to log in, in the driver's words. */
export type Address = {
  host: string;
  port: number;
  user: string;
  password: string;
  database: string;
  options?: string;
  ssl: false | { rejectUnauthorized: boolean };
};

/**
 * Reads postgres://user:password@host:port/database?sslmode=…&options=…. The driver's own reader takes `require` for `verify-full`, which
 * no certificate of the platform's pooler passes; here the words mean what libpq's mean, save that `allow` and `prefer` never fall back to
 * plain text. Nothing comes from PGHOST and the like.
 * @throws Error that says what is wrong, without the password
 */
export function addressOf(url: string): Address {
  if (!URL.canParse(url) || !/^postgres(ql)?:\/\//.test(url))
    throw new Error('The URL of the database is no postgres:// URL.');
  const { hostname, port, username, password, pathname, searchParams } = new URL(url);
  const user = decodeURIComponent(username);
  const options = searchParams.get('options');
  return {
    host: decodeURIComponent(hostname).replace(/^\[(.+)\]$/, '$1') || 'localhost',
    port: Number(port || 5432),
    user,
    password: decodeURIComponent(password),
    database: decodeURIComponent(pathname.slice(1)) || user,
    ...(options === null ? {} : { options }),
    ssl: sslOf(searchParams.get('sslmode')),
  };
}

function sslOf(mode: string | null): Address['ssl'] {
  switch (mode) {
    case null:
    case 'disable':
      return false;
    case 'allow':
    case 'prefer':
    case 'require':
      return { rejectUnauthorized: false };
    case 'verify-ca':
    case 'verify-full':
      return { rejectUnauthorized: true };
    default:
      throw new Error(
        `sslmode is ${mode} in the URL of the database; libpq's modes are disable, require and verify-full.`,
      );
  }
}
