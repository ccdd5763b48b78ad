import { useMemo } from 'preact/hooks';
import { postToApi } from './api.ts';
import { callRpc, fetchRows, type RowFilter } from './rpc.ts';
import { RpcError } from './rpc_error.ts';
import { useMember, useSession } from './session.tsx';

type RpcClient = {
  /** Calls a function of schema `api` as the person who is signed in. */
  call<T>(name: string, args?: Record<string, unknown>): Promise<T>;
  /** Rows of a view of schema `api`. */
  rows<T>(view: string, which?: RowFilter): Promise<T[]>;
  /** Posts to the REST API as the person who is signed in. */
  post<T>(path: string, body: unknown): Promise<T>;
};

/** Asks the service for the person who is signed in. A session that has ended leads to the sign-in; the refusal is thrown as well. */
export function useRpc(): RpcClient {
  const { client } = useMember();
  const { onExpired } = useSession();
  return useMemo(() => {
    const watched = async <T>(asked: Promise<T>): Promise<T> => {
      try {
        return await asked;
      } catch (error) {
        if (error instanceof RpcError && error.code === 'session.expired') onExpired();
        throw error;
      }
    };
    return {
      call: (name, args) => watched(callRpc(client, name, args)),
      rows: (view, which = {}) => watched(fetchRows(client, view, which)),
      post: (path, body) => watched(postToApi(client, path, body)),
    };
  }, [client, onExpired]);
}
