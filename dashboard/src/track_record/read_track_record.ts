import { API_URL } from '../api_url.ts';
import type { TrackRecord } from './track_record.ts';

/** Fetches the track record. Throws an Error with a message for the user. */
export async function readTrackRecord(): Promise<TrackRecord> {
  const response = await fetch(`${API_URL}/v2/track-record`, { signal: AbortSignal.timeout(8000) }).catch(
    (error: Error) => {
      throw new Error(
        error.name === 'TimeoutError'
          ? 'The service did not respond within eight seconds.'
          : 'The service cannot be reached.',
      );
    },
  );
  if (!response.ok) throw new Error(`The service returned an error (${response.status}).`);
  return (await response.json()) as TrackRecord;
}
