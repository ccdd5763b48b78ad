import { ownKeyOf } from '../../_shared/http/cron_key.ts';
import type { Environment } from '../../_shared/settings.ts';

/** A node of Centrifugo: its name, and the address of its server API. */
export type CarrierNode = { name: string; url: string };

/** What the API needs where Centrifugo carries the stream. */
export type CarrierSettings = {
  /** The secret that the nodes send with each question. */
  proxySecret: string;
  /** The key of the server API of the nodes. */
  apiKey: string;
  nodes: readonly CarrierNode[];
};

export const NODE_NAME_PATTERN = /^[A-Za-z0-9_.-]{1,64}$/;

/**
 * From STREAM_PROXY_SECRET, CENTRIFUGO_API_KEY and CENTRIFUGO_NODES (`name=url,name=url`); null
 * where none is set. @throws Error where one is missing or wrong
 */
export function carrierSettingsOf(env: Environment): CarrierSettings | null {
  const proxySecret = ownKeyOf(env, 'STREAM_PROXY_SECRET');
  const apiKey = ownKeyOf(env, 'CENTRIFUGO_API_KEY');
  const text = env('CENTRIFUGO_NODES');
  if (!proxySecret && !apiKey && !text) return null;
  if (!proxySecret || !apiKey || !text)
    throw new Error('STREAM_PROXY_SECRET, CENTRIFUGO_API_KEY and CENTRIFUGO_NODES must be set together.');
  return { proxySecret, apiKey, nodes: text.split(',').map(parseNode) };
}

function parseNode(text: string): CarrierNode {
  const [name = '', url = ''] = text.trim().split(/=(.*)/);
  if (!NODE_NAME_PATTERN.test(name) || !/^https?:\/\//.test(url) || !URL.canParse(url))
    throw new Error(`CENTRIFUGO_NODES has "${text.trim()}"; each part must be NAME=http://HOST:PORT.`);
  return { name, url: url.replace(/\/$/, '') };
}
