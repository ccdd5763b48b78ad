import { API_URL } from './api_url.ts';

/** Fetches a document that needs no key. Throws an Error with a message for the user. */
export async function readPublic<T>(path: string): Promise<T> {
  const response = await fetch(`${API_URL}${path}`, { signal: AbortSignal.timeout(8000) }).catch((error: Error) => {
    throw new Error(
      error.name === 'TimeoutError'
        ? 'The service did not respond within eight seconds.'
        : 'The service cannot be reached.',
    );
  });
  if (!response.ok) throw new Error(`The service returned an error (${response.status}).`);
  return (await response.json()) as T;
}
