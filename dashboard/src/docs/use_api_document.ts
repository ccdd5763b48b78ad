import { useEffect, useState } from 'preact/hooks';
import { API_URL } from '../api_url.ts';
import type { ApiDocument } from './document.ts';

export const DOCUMENT_URL = `${API_URL}/openapi.json`;

const RETRY_MS = 3000;

/** Loads openapi.json, and retries every three seconds until the API responds. */
export function useApiDocument(): { api: ApiDocument | undefined; error: string } {
  const [api, setApi] = useState<ApiDocument>();
  const [error, setError] = useState('');
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const read = async () => {
      try {
        setApi(await readDocument());
        setError('');
      } catch (failure) {
        setError((failure as Error).message);
        timer = setTimeout(read, RETRY_MS);
      }
    };
    void read();
    return () => clearTimeout(timer);
  }, []);
  return { api, error };
}

/**
 * Fetches openapi.json. Throws an Error with a message for the user, after eight seconds without a
 * response.
 */
async function readDocument(): Promise<ApiDocument> {
  const response = await fetch(DOCUMENT_URL, { signal: AbortSignal.timeout(8000) });
  if (!response.ok) throw new Error(`The API returned ${response.status}.`);
  return (await response.json()) as ApiDocument;
}
