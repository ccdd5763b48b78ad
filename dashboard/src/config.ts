/**
 * Configuration of the Supabase project. Nothing here is secret; the publishable key is public by
 * design.
 */
export type Config = {
  supabaseUrl: string;
  publishableKey: string;
  /** Whether the host serves /limits.json. */
  limits: boolean;
  /**
   * The address of the inbox of `npm start`, to which a name is added; null on every other host.
   */
  inbox: string | null;
};

const built = {
  supabaseUrl: import.meta.env.VITE_SUPABASE_URL as string | undefined,
  publishableKey: import.meta.env.VITE_SUPABASE_PUBLISHABLE_KEY as string | undefined,
};

let pending: Promise<Config> | undefined;

/**
 * Reads the configuration from the build, else from /config.json, which the local gateway serves.
 */
export function readConfig(): Promise<Config> {
  pending ??= loadConfig().catch((error) => {
    pending = undefined;
    throw error;
  });
  return pending;
}

async function loadConfig(): Promise<Config> {
  if (built.supabaseUrl && built.publishableKey) {
    return { supabaseUrl: built.supabaseUrl, publishableKey: built.publishableKey, limits: false, inbox: null };
  }
  const response = await fetch('/config.json', { signal: AbortSignal.timeout(8000) }).catch(() => undefined);
  if (!response?.ok) throw new Error('The configuration of this dashboard could not be read from /config.json.');
  type Served = { publishable_key: string; limits?: boolean; inbox?: string };
  const { publishable_key, limits, inbox } = (await response.json()) as Served;
  return {
    supabaseUrl: location.origin,
    publishableKey: publishable_key,
    limits: limits === true,
    inbox: inbox ?? null,
  };
}
