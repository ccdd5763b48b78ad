import { signInErrorText } from './auth_errors.ts';

type AuthError = { code?: string | undefined; status?: number | undefined; message: string };

/** Errors that Auth returns for any address, registered or not. */
const sameForAll = ['over_request_rate_limit', 'validation_failed', 'email_address_invalid', 'captcha_failed'];

/**
 * The error of a request for a recovery link, where it may be shown; undefined for the answer that
 * registered and unknown addresses share. Only a registered address has a limit of its own, so that
 * error would reveal it.
 */
export function recoveryErrorText(error: AuthError): string | undefined {
  const { code = '', status = 0 } = error;
  if (sameForAll.includes(code) || status === 0) return signInErrorText(error);
  if (status === 404 || status === 501)
    return 'This installation sends no e-mail. Ask its operator for a new password.';
  return status >= 500 ? 'The e-mail cannot be sent now. Try again in a moment.' : undefined;
}
