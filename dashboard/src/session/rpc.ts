import type { Client } from './client.ts';
import { toRpcError } from './rpc_error.ts';

/** Calls an RPC of schema `api` as the signed-in user. Throws RpcError. */
export async function callRpc<T>(client: Client, name: string, args: Record<string, unknown> = {}): Promise<T> {
  const { data, error, status } = await client.schema('api').rpc(name, args);
  if (error) throw toRpcError(error, status);
  // Some RPCs return an error as a result, because raising it would lose its code.
  const failed = data as { error?: string; code?: string } | null;
  if (failed && typeof failed === 'object' && typeof failed.error === 'string' && typeof failed.code === 'string') {
    throw toRpcError({ code: failed.code, message: failed.error }, 400);
  }
  return data as T;
}

/** The most rows that PostgREST returns at once. */
const PAGE_ROWS = 1000;

export type RowFilter = {
  org?: string /** Columns that order the rows, the largest first; of the last no two are alike, or a second page could repeat the first. */;
  newestBy?: readonly string[];
  maxRows?: number;
};

/** Fetches rows of a view of schema `api`, page by page. Throws RpcError. */
export async function fetchRows<T>(
  client: Client,
  view: string,
  { org, newestBy = [], maxRows = Infinity }: RowFilter,
): Promise<T[]> {
  const rows: T[] = [];
  for (;;) {
    let query = client.schema('api').from(view).select('*');
    if (org) query = query.eq('org_id', org);
    for (const column of newestBy) query = query.order(column, { ascending: false });
    const wanted = Math.min(PAGE_ROWS, maxRows - rows.length);
    const { data, error, status } = await query.range(rows.length, rows.length + wanted - 1);
    if (error) throw toRpcError(error, status);
    rows.push(...((data ?? []) as T[]));
    if (data.length < wanted || rows.length >= maxRows) return rows;
  }
}
