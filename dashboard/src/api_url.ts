/** Where the API answers: the page's own host unless the build names another. */
export const API_URL: string =
  import.meta.env.VITE_API_URL ?? new URL('/functions/v1/api', globalThis.location.origin).href;
