import { useMemo } from 'preact/hooks';
import { postToApi } from './api.ts';
import { call, rowsOf, type Which } from './call.ts';
import { Refused } from './refused.ts';
import { useMember, useSession } from './session.tsx';

type Asking = {
  /** Calls a function of schema `api` as the person who is signed in. */
  call<T>(name: string, args?: Record<string, unknown>): Promise<T>;
  /** Rows of a view of schema `api`. */
  rows<T>(view: string, which?: Which): Promise<T[]>;
  /** Posts to the REST API as the person who is signed in. */
  post<T>(path: string, body: unknown): Promise<T>;
};

/** Asks the service for the person who is signed in. A session that has ended leads to the sign-in; the refusal is thrown as well. */
export function useAsking(): Asking {
  const { client } = useMember();
  const { expired } = useSession();
  return useMemo(() => {
    const watched = async <T>(asked: Promise<T>): Promise<T> => {
      try {
        return await asked;
      } catch (error) {
        if (error instanceof Refused && error.code === 'session.expired') expired();
        throw error;
      }
    };
    return {
      call: (name, args) => watched(call(client, name, args)),
      rows: (view, which = {}) => watched(rowsOf(client, view, which)),
      post: (path, body) => watched(postToApi(client, path, body)),
    };
  }, [client, expired]);
}
