import { useMemo } from 'preact/hooks';
import { sendToApi } from './api.ts';
import { callRpc, fetchRows, type RowFilter } from './rpc.ts';
import { RpcError } from './rpc_error.ts';
import { useMember, useSession } from './session.tsx';

type RpcClient = {
  /** Calls an RPC of schema `api` as the signed-in user. */
  call<T>(name: string, args?: Record<string, unknown>): Promise<T>;
  /** Fetches rows of a view of schema `api`. */
  rows<T>(view: string, which?: RowFilter): Promise<T[]>;
  /** Sends a body to the REST API as the signed-in user. */
  send<T>(method: 'POST' | 'PATCH', path: string, body: unknown): Promise<T>;
};

/**
 * Calls the service as the signed-in user. An expired session opens the sign-in page; the error is
 * thrown too.
 */
export function useRpc(): RpcClient {
  const { client } = useMember();
  const { onExpired, onCodeNeeded } = useSession();
  return useMemo(() => {
    const checked = async <T>(request: Promise<T>): Promise<T> => {
      try {
        return await request;
      } catch (error) {
        if (error instanceof RpcError && error.code === 'session.expired') onExpired();
        if (error instanceof RpcError && error.code === 'session.second_factor') onCodeNeeded();
        throw error;
      }
    };
    return {
      call: (name, args) => checked(callRpc(client, name, args)),
      rows: (view, which = {}) => checked(fetchRows(client, view, which)),
      send: (method, path, body) => checked(sendToApi(client, method, path, body)),
    };
  }, [client, onExpired, onCodeNeeded]);
}
