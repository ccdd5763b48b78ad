const framing = "frame-ancestors 'none'";

/**
 * Headers of every page and file of the dashboard, on every host. The policy of a page is in its
 * meta element, but only a header can forbid frames of other sites.
 */
export const pageHeaders: Readonly<Record<string, string>> = {
  'Content-Security-Policy': framing,
  'X-Frame-Options': 'DENY',
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'strict-origin-when-cross-origin',
  'Permissions-Policy': 'camera=(), geolocation=(), microphone=(), payment=()',
  'Cross-Origin-Opener-Policy': 'same-origin',
};

/**
 * The file `_headers` of the built pages, which Cloudflare Pages and Netlify read. `policy` is the
 * Content-Security-Policy of the pages. Both hosts serve over TLS only, so the file has HSTS, which
 * the local gateway does not send: a browser ignores it over plain HTTP.
 */
export function headersFile(policy: string): string {
  const all = {
    ...pageHeaders,
    'Content-Security-Policy': `${policy}; ${framing}`,
    'Strict-Transport-Security': 'max-age=31536000',
  };
  const lines = Object.entries(all).map(([name, value]) => `  ${name}: ${value}\n`);
  return `/*\n${lines.join('')}/assets/*\n  Cache-Control: public, max-age=31536000, immutable\n`;
}
