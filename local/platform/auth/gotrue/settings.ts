import type { SigningKey } from './signing_keys.ts';

export type AuthSettings = {
  databaseUrl: string;
  port: number;
  /** The address of the gateway, and of the dashboard. */
  siteUrl: string;
  jwtSecret: string;
  signingKeys: readonly SigningKey[];
  smtpPort: number;
  /** Whether an address must be confirmed by mail before the first sign-in. */
  confirmsEmail: boolean;
};

/**
 * The environment of Supabase Auth, with the values of [auth] in supabase/config.toml. Its service
 * is at `/`; the gateway adds /auth/v1.
 */
export function authEnvironment(settings: AuthSettings): Record<string, string> {
  const external = `${settings.siteUrl}/auth/v1`;
  return {
    GOTRUE_DB_DRIVER: 'postgres',
    DATABASE_URL: settings.databaseUrl,
    DB_NAMESPACE: 'auth',
    GOTRUE_DB_MAX_POOL_SIZE: '10',
    GOTRUE_API_HOST: '127.0.0.1',
    PORT: String(settings.port),
    API_EXTERNAL_URL: external,
    GOTRUE_SITE_URL: settings.siteUrl,
    GOTRUE_URI_ALLOW_LIST: `${settings.siteUrl}/**`,
    GOTRUE_CORS_ALLOWED_HEADERS: 'apikey',
    GOTRUE_JWT_SECRET: settings.jwtSecret,
    GOTRUE_JWT_KEYS: JSON.stringify(settings.signingKeys),
    // HS256 is for the gateway's tokens of API keys.
    GOTRUE_JWT_VALID_METHODS: 'ES256,HS256',
    GOTRUE_JWT_EXP: '3600',
    GOTRUE_JWT_AUD: 'authenticated',
    GOTRUE_JWT_ISSUER: external,
    GOTRUE_JWT_ADMIN_ROLES: 'supabase_admin,service_role',
    GOTRUE_JWT_DEFAULT_GROUP_NAME: 'authenticated',
    GOTRUE_EXTERNAL_EMAIL_ENABLED: 'true',
    GOTRUE_PASSWORD_MIN_LENGTH: '8',
    GOTRUE_SECURITY_REFRESH_TOKEN_ROTATION_ENABLED: 'true',
    GOTRUE_SECURITY_REFRESH_TOKEN_REUSE_INTERVAL: '10',
    GOTRUE_MAILER_AUTOCONFIRM: String(!settings.confirmsEmail),
    GOTRUE_MAILER_SECURE_EMAIL_CHANGE_ENABLED: 'true',
    GOTRUE_MAILER_OTP_EXP: '3600',
    GOTRUE_MAILER_OTP_LENGTH: '6',
    // Without these paths the links of the mails lack the prefix of the gateway.
    ...Object.fromEntries(
      ['INVITE', 'CONFIRMATION', 'RECOVERY', 'EMAIL_CHANGE'].map((mail) => [
        `GOTRUE_MAILER_URLPATHS_${mail}`,
        '/auth/v1/verify',
      ]),
    ),
    GOTRUE_SMTP_HOST: '127.0.0.1',
    GOTRUE_SMTP_PORT: String(settings.smtpPort),
    GOTRUE_SMTP_ADMIN_EMAIL: 'auth@parallax.local',
    GOTRUE_SMTP_SENDER_NAME: 'Parallax',
    GOTRUE_SMTP_MAX_FREQUENCY: '1s',
    GOTRUE_RATE_LIMIT_EMAIL_SENT: '1000',
    GOTRUE_MFA_TOTP_ENROLL_ENABLED: 'true',
    GOTRUE_MFA_TOTP_VERIFY_ENABLED: 'true',
    GOTRUE_LOG_LEVEL: 'warn',
  };
}
