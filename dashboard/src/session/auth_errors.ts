/** Error codes of Supabase Auth as sentences that state what to do. */
const sentences: Record<string, string> = {
  invalid_credentials: 'The e-mail address or the password is wrong.',
  email_not_confirmed: 'Confirm your e-mail address first. We sent you a link.',
  user_already_exists: 'An account with this e-mail address exists. Sign in instead.',
  email_exists: 'An account with this e-mail address exists. Sign in instead.',
  weak_password: 'This password is too easy to guess. Use at least 8 characters, or several words.',
  validation_failed: 'The e-mail address is invalid or the password is missing.',
  email_address_invalid: 'This e-mail address cannot be used.',
  signup_disabled: 'New accounts are disabled on this installation.',
  over_request_rate_limit: 'Too many attempts. Wait a minute, then try again.',
  over_email_send_rate_limit: 'We sent an e-mail a moment ago. Check your mailbox, or try again in a minute.',
  user_banned: 'This account is locked. Contact the operator.',
  otp_expired: 'This link was used or has expired. Request a new one.',
  same_password: 'This is your current password. Choose another one.',
  reauthentication_needed: 'You signed in too long ago. Sign out, sign in again, then change the password.',
  current_password_invalid: 'The current password is wrong.',
  current_password_mismatch: 'The current password is wrong.',
  session_not_found: 'This session has ended. Sign in again.',
  insufficient_aal: 'Sign out, sign in with the code of your authenticator app, then try again.',
  mfa_verification_failed: 'The code is wrong or too old. Enter the one that the app shows now.',
  mfa_verification_rejected: 'The code was rejected. Wait for the next one.',
  mfa_challenge_expired: 'This took too long. Enter the code that the app shows now.',
  mfa_factor_not_found: 'This authenticator app was removed meanwhile.',
  mfa_totp_enroll_not_enabled: 'Two-step sign-in is turned off on this installation.',
  mfa_totp_verify_not_enabled: 'Two-step sign-in is turned off on this installation.',
  too_many_enrolled_mfa_factors: 'You have the maximum number of authenticator apps. Remove one first.',
};

type AuthError = { code?: string | undefined; status?: number | undefined; message: string };

/** Why the sign-in failed and what to do. An unknown error keeps the message of the service. */
export function signInErrorText({ code, status, message }: AuthError): string {
  const known = code ? sentences[code] : undefined;
  if (known) return known;
  // Older versions of Auth return a message and no code.
  if (/invalid login credentials/i.test(message)) return sentences.invalid_credentials ?? message;
  if (/already (been )?registered|already exists/i.test(message)) return sentences.user_already_exists ?? message;
  if (status === 429) return sentences.over_request_rate_limit ?? message;
  if (!status) return 'The service did not respond. Check your connection, then try again.';
  if (status >= 500) return 'Sign-in is unavailable. Try again in a moment.';
  return message;
}
