/** Ways to sign in that this project has on. */
export type Providers = { password: boolean; signUp: boolean; link: boolean; github: boolean };

/** GoTrue's own words about itself. */
export type Settings = {
  external?: Record<string, boolean | undefined>;
  disable_signup?: boolean;
  mailer_autoconfirm?: boolean;
};

/**
 * What GoTrue's settings mean for the sign-in page. They do not say whether mail is sent; a project that takes addresses unconfirmed
 * is taken to have no mail server, as the local one.
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
