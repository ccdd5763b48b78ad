/** An address of a venue that may be followed: it comes from outside, so nothing but https is a link. */
export function safeLink(url: string | null | undefined): string | undefined {
  return url && /^https:\/\/[^\s]+$/.test(url) && URL.canParse(url) ? url : undefined;
}
