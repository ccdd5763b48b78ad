/**
 * Base URL of the API: VITE_API_URL, else the Supabase project of the build, else the page's own
 * host.
 */
export const API_URL: string =
  import.meta.env.VITE_API_URL ??
  new URL('/functions/v1/api', import.meta.env.VITE_SUPABASE_URL ?? globalThis.location.origin).href;
