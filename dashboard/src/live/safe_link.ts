/** A venue URL that may be a link. Venue data is untrusted, so only https is accepted. */
export function safeLink(url: string | null | undefined): string | undefined {
  return url && /^https:\/\/[^\s]+$/.test(url) && URL.canParse(url) ? url : undefined;
}
