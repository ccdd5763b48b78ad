import { Hono } from 'hono';

export type ServiceParts = {
  /** The platform's secret key named `cron`; null refuses everybody. */
  cronKey: string | null;
  /** The leases that this isolate holds. */
  holds(): string[];
  /** Begins a shift; false when one runs that goes on. */
  start(): boolean;
};

/** `POST /ingest` with the platform's `cron` key in `apikey`: see that this isolate reads, and answer at once. */
export function service(parts: ServiceParts): Hono {
  const app = new Hono().basePath('/ingest');
  app.post('/', async (context) => {
    const given = context.req.header('apikey');
    if (!given)
      return refuse('auth.missing_key', 'The header apikey is missing. It takes the project’s secret key named cron.');
    if (parts.cronKey === null || !(await sameSecret(given, parts.cronKey))) {
      return refuse('auth.wrong_key', 'The header apikey does not hold the project’s secret key named cron.');
    }
    return context.json({ started: parts.start(), holds: parts.holds() }, 202);
  });
  app.all('/', (context) =>
    context.json({ error: 'Only POST is answered here.', code: 'method.not_allowed' }, 405, { allow: 'POST' }),
  );
  app.notFound((context) => context.json({ error: 'There is nothing here.', code: 'not_found' }, 404));
  return app;
}

function refuse(code: string, error: string): Response {
  return Response.json({ error, code }, { status: 401, headers: { 'www-authenticate': 'apikey' } });
}

/** Compares digests, so that neither length nor first difference shows in the time it takes. */
async function sameSecret(given: string, expected: string): Promise<boolean> {
  const [a, b] = await Promise.all([digest(given), digest(expected)]);
  let difference = 0;
  for (let at = 0; at < a.length; at += 1) difference |= (a[at] ?? 0) ^ (b[at] ?? 0);
  return difference === 0;
}

async function digest(text: string): Promise<Uint8Array> {
  return new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text)));
}
