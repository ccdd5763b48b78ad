/**
 * The file `_headers` of the built pages, which Cloudflare Pages and Netlify read. `policy` is the
 * Content-Security-Policy of the pages. Only a header can forbid frames of other sites.
 */
export const headersFile = (policy: string): string => `/*
  Content-Security-Policy: ${policy}; frame-ancestors 'none'
  X-Frame-Options: DENY
  X-Content-Type-Options: nosniff
  Referrer-Policy: strict-origin-when-cross-origin
  Permissions-Policy: camera=(), geolocation=(), microphone=(), payment=()
  Strict-Transport-Security: max-age=31536000
/assets/*
  Cache-Control: public, max-age=31536000, immutable
`;
