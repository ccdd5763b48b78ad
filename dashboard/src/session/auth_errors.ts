/** GoTrue's error codes in sentences that say what to do. */
const sentences: Record<string, string> = {
  invalid_credentials: 'The address or the password is not right.',
  email_not_confirmed: 'Confirm your address first: the link is in the mail that we sent you.',
  user_already_exists: 'There is an account with this address already. Sign in instead.',
  email_exists: 'There is an account with this address already. Sign in instead.',
  weak_password: 'This password is too easy to guess. Take at least 8 characters, better a few words.',
  validation_failed: 'This is no e-mail address, or the password is missing.',
  email_address_invalid: 'This is no e-mail address that can be used.',
  signup_disabled: 'New accounts cannot be made here at present.',
  over_request_rate_limit: 'Too many tries. Wait a minute, then try again.',
  over_email_send_rate_limit: 'A mail was sent a moment ago. Look in your mailbox, or try again in a minute.',
  user_banned: 'This account is locked.',
  otp_expired: 'This link was used or is too old. Ask for a new one.',
};

type Fault = { code?: string | undefined; status?: number | undefined; message: string };

/** Why signing in did not work, and what to do. An unknown reason keeps the service's own sentence. */
export function signInErrorText({ code, status, message }: Fault): string {
  const known = code ? sentences[code] : undefined;
  if (known) return known;
  // Older services give a sentence and no code.
  if (/invalid login credentials/i.test(message)) return sentences.invalid_credentials ?? message;
  if (/already (been )?registered|already exists/i.test(message)) return sentences.user_already_exists ?? message;
  if (status === 429) return sentences.over_request_rate_limit ?? message;
  if (!status) return 'No answer. Look at your connection, then try again.';
  if (status >= 500) return 'Signing in does not work at present. Try again in a moment.';
  return message;
}
