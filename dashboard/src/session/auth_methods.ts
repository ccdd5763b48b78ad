/** The sign-in methods that the project has enabled. */
export type Providers = { password: boolean; signUp: boolean; link: boolean; github: boolean };

/** The part of `/auth/v1/settings` that the sign-in page reads. */
export type Settings = {
  external?: Record<string, boolean | undefined>;
  disable_signup?: boolean;
  mailer_autoconfirm?: boolean;
};

/**
 * The sign-in methods of an Auth server. Its settings do not state whether it can send mail. A
 * project that confirms addresses automatically is assumed to have no mail server, as the local
 * one.
 */
export function providersOf({ external = {}, disable_signup, mailer_autoconfirm }: Settings): Providers {
  const email = external.email ?? true;
  return {
    password: email,
    signUp: !disable_signup,
    link: email && !mailer_autoconfirm,
    github: external.github ?? false,
  };
}
