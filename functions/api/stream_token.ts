import { type Platform, platformOf } from '../_shared/platform.ts';
import { type Signer, streamSignerOf } from '../_shared/signing.ts';
import { hasTopic } from '../_shared/stream_channels.ts';
import { publicUrlOf } from './public_url.ts';

/**
 * The token with which an API client joins Realtime (contract.md, Stream, way 2). It is good for
 * two minutes and for one organization, and names no person. Without `sub` the Data API finds no
 * user. Only stream.caller_orgs reads the claim `org`.
 */

export type StreamSettings = {
  /** Address of the stream function. */
  wsUrl: string;
  /** The platform and the signer of tokens; null: tickets contain no token for Realtime. */
  realtime: (Platform & { signer: Promise<Signer> }) | null;
};

/** Address of the gateway of `npm start`. */
const LOCAL_PLATFORM_URL = 'http://127.0.0.1:54321';

/** From the environment of the function. */
export function streamSettingsOf(env: (name: string) => string | undefined): StreamSettings {
  const platform = platformOf(env);
  const url = publicUrlOf(env) ?? LOCAL_PLATFORM_URL;
  const wsUrl = env('STREAM_URL') || `${url.replace(/^http/, 'ws')}/functions/v1/stream`;
  const signer = streamSignerOf(env);
  return { wsUrl, realtime: platform && signer && { ...platform, url, signer } };
}

/** The result of stream.mint_ticket. */
type MintedTicket = {
  ticket: string;
  expires_in: number;
  allowed: { channels: string[]; max_conns: number };
  org_id: string;
  grant_id: string | null;
};

const TOKEN_SECONDS = 120;

/** Renders the response of POST /v1/stream/token from the minted ticket. */
export async function renderTicketResponse(
  body: string,
  settings: StreamSettings,
  nowMs = Date.now(),
): Promise<string> {
  const { ticket, expires_in, allowed, org_id, grant_id } = JSON.parse(body) as MintedTicket;
  return JSON.stringify({
    ticket,
    ws_url: settings.wsUrl,
    expires_in,
    allowed,
    realtime: await realtimeCredentials(settings, allowed.channels, org_id, grant_id, nowMs),
  });
}

async function realtimeCredentials(
  { realtime }: StreamSettings,
  channels: readonly string[],
  orgId: string,
  grantId: string | null,
  nowMs: number,
): Promise<object | null> {
  if (!realtime || !grantId) return null;
  const { url, apikey } = realtime;
  const iat = Math.floor(nowMs / 1000);
  const claims = {
    role: 'authenticated',
    aud: 'authenticated',
    org: orgId,
    jti: grantId,
    iat,
    exp: iat + TOKEN_SECONDS,
  };
  const signer = await realtime.signer;
  return {
    url,
    apikey,
    access_token: await signer.sign(claims),
    expires_in: TOKEN_SECONDS,
    topics: channels.filter(hasTopic),
  };
}
