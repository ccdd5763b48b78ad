/** Where the API answers: the page's own host unless the build names another, or another project. */
export const API_URL: string =
  import.meta.env.VITE_API_URL ??
  new URL('/functions/v1/api', import.meta.env.VITE_SUPABASE_URL ?? globalThis.location.origin).href;
