/** What the pages must know of the project that they belong to. None of it is secret: the publishable key is made to be published. */
export type Config = {
  supabaseUrl: string;
  publishableKey: string;
  /** Whether /limits.json is there beside the pages. */
  limits: boolean;
};

const built = {
  supabaseUrl: import.meta.env.VITE_SUPABASE_URL as string | undefined,
  publishableKey: import.meta.env.VITE_SUPABASE_PUBLISHABLE_KEY as string | undefined,
};

let asked: Promise<Config> | undefined;

/** From the build's environment, else from /config.json beside the pages, which the local gateway answers. */
export function readConfig(): Promise<Config> {
  asked ??= find().catch((error) => {
    asked = undefined;
    throw error;
  });
  return asked;
}

async function find(): Promise<Config> {
  if (built.supabaseUrl && built.publishableKey) {
    return { supabaseUrl: built.supabaseUrl, publishableKey: built.publishableKey, limits: false };
  }
  const answer = await fetch('/config.json', { signal: AbortSignal.timeout(8000) }).catch(() => undefined);
  if (!answer?.ok) throw new Error('This page does not know its project: /config.json could not be read.');
  const { publishable_key, limits } = (await answer.json()) as { publishable_key: string; limits?: boolean };
  return { supabaseUrl: location.origin, publishableKey: publishable_key, limits: limits === true };
}
